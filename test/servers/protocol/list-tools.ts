import type { Inbound } from '../inbound.ts';
import type { JsonObject } from '../json.ts';
import { RpcError } from '../outbound.ts';
import type { FixtureState } from '../state.ts';

/** One page of the tools. The cursor of the next page names the last tool of this one. */
export function listTools(state: FixtureState, inbound: Inbound): JsonObject {
  const tools = [...state.tools.values()].map((tool) => tool.definition);
  const pageSize = state.flags.pageSize > 0 ? state.flags.pageSize : tools.length;
  const start = startOf(inbound.params['cursor'], tools);
  const page = tools.slice(start, start + pageSize);
  const last = page.at(-1);
  const more = start + pageSize < tools.length && last !== undefined;
  return more ? { tools: page, nextCursor: encode(last.name) } : { tools: page };
}

function startOf(cursor: unknown, tools: { name: string }[]): number {
  if (cursor === undefined) return 0;
  const index = tools.findIndex((tool) => encode(tool.name) === cursor);
  if (index === -1) throw new RpcError({ code: -32602, message: 'Invalid params: unknown cursor' });
  return index + 1;
}

function encode(name: string): string {
  return Buffer.from(`after:${name}`).toString('base64url');
}
