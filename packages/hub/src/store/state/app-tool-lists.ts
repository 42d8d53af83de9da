/** What apps have registered. Most sessions of an app have the same tools: a list that many have is kept once. */
import { createHash } from 'node:crypto';
import type { StoredAppTool } from '../../core/ports.ts';
import type { Codec } from '../rows/table.ts';

type Tools = readonly StoredAppTool[];

export interface AppToolList {
  readonly digest: string;
  readonly tools: Tools;
}

export const APP_TOOL_LISTS: Codec<AppToolList> = {
  table: 'app_tool_lists',
  columns: ['digest', 'tools'],
  keys: 1,
  keyOf: ({ digest }) => [digest],
  toRow: ({ digest, tools }) => [digest, pack(tools)],
  fromRow([digest, bytes]) {
    const list = { digest: digest as string, tools: unpack(bytes as Uint8Array) };
    digests.set(list.tools, list.digest);
    return list;
  },
};

/** A list comes back with each bridge of its session: it is not written out to find that nothing has changed. */
const digests = new WeakMap<Tools, string>();

export function digestOfTools(tools: Tools): string {
  const known = digests.get(tools);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(pack(tools)).digest('base64url');
  digests.set(tools, digest);
  return digest;
}

/** JSON in UTF-8. A ByteText is a text like any other there, and comes back as it was. */
const pack = (tools: Tools): Buffer => Buffer.from(JSON.stringify(tools.map(inOrder)), 'utf8');

const unpack = (bytes: Uint8Array): Tools =>
  (JSON.parse(new TextDecoder().decode(bytes)) as Tools).map(inOrder);

/** Equal tools are equal bytes. */
const inOrder = (tool: StoredAppTool): StoredAppTool => ({
  name: tool.name,
  path: tool.path,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  outputSchema: tool.outputSchema,
  annotations: tool.annotations,
});
