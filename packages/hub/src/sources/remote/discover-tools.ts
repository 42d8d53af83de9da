import type { ToolDefinition } from '../../core/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { RPC } from '../../core/protocol.ts';
import { parseToolList } from '../../core/tool-definition.ts';
import { jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';
import { ownParams } from './call-params.ts';
import type { Connection } from './connection.ts';

/** The whole `tools/list` of a server, page by page. */
export async function discoverTools(
  connection: Connection,
  timeoutMs: number,
  limits: Limits,
): Promise<ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  for (let page = 0; page < limits.maxToolPages && tools.length < limits.maxToolsPerServer; page++) {
    const params = ownParams(connection.era, cursor === undefined ? {} : { cursor: jsonBytes(cursor) });
    const answer = await connection.ask('tools/list', params, timeoutMs);
    if (answer.result === undefined) return onRefusal(answer.error!);
    const list = parseToolList(answer.result);
    for (const tool of list.tools) {
      bytes += tool.raw.length;
      if (bytes > limits.maxCatalogBytes) throw tooLarge(limits.maxCatalogBytes);
      tools.push(tool);
    }
    // A cursor that comes back leads nowhere.
    if (list.nextCursor === undefined || list.nextCursor === cursor) break;
    cursor = list.nextCursor;
  }
  return tools.slice(0, limits.maxToolsPerServer);
}

/** A server without tools says "method not found": it has none. */
function onRefusal(error: string): ToolDefinition[] {
  const { code, message } = (parseBytes(error) ?? {}) as { code?: unknown; message?: unknown };
  if (code === RPC.methodNotFound) return [];
  throw new PincerError('SERVER_PROTOCOL', `The server refused tools/list: ${String(message)}.`);
}

const tooLarge = (maxBytes: number): PincerError =>
  new PincerError('SERVER_PROTOCOL', `Its tool definitions are larger than ${maxBytes} bytes together.`, {
    hint: 'Raise limits.maxCatalogBytes if that is what you want.',
  });
