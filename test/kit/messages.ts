/** JSON-RPC messages as text, in both eras. */
import type { Era } from '../servers/flags.ts';
import { isObject, type JsonObject } from '../servers/json.ts';

export type Headers = Record<string, string>;

const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';

const META = 'io.modelcontextprotocol/';

/** The members that the modern era requires in `params._meta`, as text. */
export const ENVELOPE =
  `"${META}protocolVersion":"${MODERN}","${META}clientInfo":{"name":"kit","version":"1"},` +
  `"${META}clientCapabilities":{}`;

export const INITIALIZE = request(
  'initialize',
  `{"protocolVersion":"${LEGACY}","capabilities":{},"clientInfo":{"name":"kit","version":"1"}}`,
  '"init"',
);
export const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** `params` and `id` are inserted as raw text. */
export function request(method: string, params = '{}', id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${params}}`;
}

export interface CallText {
  era?: Era | undefined;
  id?: string | undefined;
  /** Text of additional members of `_meta`. */
  meta?: string | undefined;
  /** Text of `arguments`. */
  args?: string | undefined;
}

/** `params` of a request in an era; `members` is the text of its members. */
export function paramsText(era: Era, members: string, meta = ''): string {
  const inside = [era === 'modern' ? ENVELOPE : '', meta].filter((text) => text !== '').join(',');
  return `{${[members, inside === '' ? '' : `"_meta":{${inside}}`].filter((text) => text !== '').join(',')}}`;
}

export function callText(
  tool: string,
  { era = 'legacy', id = '1', meta, args = '{}' }: CallText = {},
): string {
  const members = `"name":${JSON.stringify(tool)},"arguments":${args}`;
  return request('tools/call', paramsText(era, members, meta), id);
}

export const listText = (era: Era = 'legacy', id = '1'): string =>
  request('tools/list', paramsText(era, ''), id);

/** The headers that must agree with the body in the modern era. */
export function modernHeaders(method: string, name?: string): Headers {
  const headers: Headers = { 'mcp-protocol-version': MODERN, 'mcp-method': method };
  if (name !== undefined) headers['mcp-name'] = name;
  return headers;
}

export interface RpcError {
  code: number;
  message: string;
  data?: JsonObject;
}

/** The members that answers can have. */
export interface Answer {
  id: unknown;
  result?: JsonObject;
  error?: RpcError;
}

export function parseAnswer(text: string): Answer {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new Error(`not an answer: ${text.slice(0, 200)}`);
  return value as unknown as Answer;
}

/** The text of the first content block. */
export function textOf({ result }: Answer): string {
  const [block] = (result?.['content'] ?? []) as { text?: string }[];
  return block?.text ?? '';
}

export const structuredOf = ({ result }: Answer): JsonObject =>
  (result?.['structuredContent'] ?? {}) as JsonObject;
