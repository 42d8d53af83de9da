/** Reads one JSON-RPC message: checks its shape and leaves its values as unchanged bytes. */
import { fromByteText, isValidUtf8, quoted, type ByteText, jsonBytes } from './byte-text.ts';
import { DuplicateKeyError, findMember, isObject, readMembers, type Member, isModest } from './members.ts';
import { RPC } from '../protocol.ts';

export interface Message {
  /** Raw, so that 99999999999999999999 and "7" are returned unchanged; absent on a notification. */
  readonly id: ByteText | undefined;
  readonly method: string | undefined;
  /** Members of `params`; empty if absent. */
  readonly params: readonly Member[];
  /** Members of `params._meta`; empty if absent. */
  readonly meta: readonly Member[];
  readonly result: ByteText | undefined;
  readonly error: ByteText | undefined;
  /** Envelope members that Pincer does not know, each with its leading comma. */
  readonly extra: ByteText;
  /** `result.isError` of an answer. */
  readonly isError: boolean;
}

/** The text is not a JSON-RPC message. `rpcCode` is the JSON-RPC error code; `id` is set if it could be read. */
export class MalformedMessageError extends Error {
  readonly rpcCode: number;
  readonly id: ByteText | undefined;
  constructor(rpcCode: number, message: string, id?: ByteText) {
    super(message);
    this.rpcCode = rpcCode;
    this.id = id;
  }
}

const JSONRPC = '"2.0"';
const NO_MEMBERS: readonly Member[] = [];

export function parseMessage(text: ByteText): Message {
  const value = parseJson(text);
  if (Array.isArray(value)) throw invalid('A batch is not accepted: send one message at a time.');
  if (typeof value !== 'object' || value === null) throw invalid('A JSON-RPC message is an object.');
  const members = readUnique(text);
  let id: ByteText | undefined;
  let jsonrpc: ByteText | undefined;
  let method: ByteText | undefined;
  let params: ByteText | undefined;
  let result: ByteText | undefined;
  let error: ByteText | undefined;
  let extra = '';
  for (const { key, raw } of members) {
    if (key === 'id') id = raw;
    else if (key === 'jsonrpc') jsonrpc = raw;
    else if (key === 'method') method = raw;
    else if (key === 'params') params = raw;
    else if (key === 'result') result = raw;
    else if (key === 'error') error = raw;
    else extra += `,${quoted(key)}:${raw}`;
  }
  // Some libraries write both, with "error": null.
  if (error === 'null' && result !== undefined) error = undefined;
  if (id !== undefined && !isId(id)) throw invalid('"id" must be a string or a number.');
  if (jsonrpc !== JSONRPC) throw invalid('"jsonrpc" must be "2.0".', id);
  if (method !== undefined && !method.startsWith('"')) throw invalid('"method" must be a string.', id);
  if (method === undefined && (id === undefined || (result === undefined) === (error === undefined)))
    throw invalid('A message has a "method", or an "id" with either "result" or "error".', id);
  if (params !== undefined && !isObject(params))
    throw invalid('"params" must be an object.', id, RPC.invalidParams);
  const paramMembers = params === undefined ? NO_MEMBERS : readUnique(params, id);
  return {
    id,
    method: method === undefined ? undefined : plainString(method),
    params: paramMembers,
    meta: readMeta(paramMembers, id),
    result,
    error,
    extra,
    isError: result !== undefined && (value as { result?: { isError?: unknown } }).result?.isError === true,
  };
}

function readMeta(params: readonly Member[], id: ByteText | undefined): readonly Member[] {
  const meta = findMember(params, '_meta');
  if (meta === undefined) return NO_MEMBERS;
  if (!isObject(meta)) throw invalid('"params._meta" must be an object.', id, RPC.invalidParams);
  return readUnique(meta, id);
}

/** Decodes a raw JSON string. */
export const plainString = (raw: ByteText): string =>
  raw.includes('\\') ? (JSON.parse(fromByteText(raw)) as string) : fromByteText(raw.slice(1, -1));

const isId = (raw: ByteText): boolean => /^["\-\d]/.test(raw);

const invalid = (message: string, id?: ByteText, code: number = RPC.invalidRequest): MalformedMessageError =>
  new MalformedMessageError(code, message, id);

function parseJson(text: ByteText): unknown {
  if (!isModest(text)) throw invalid('The message has too many or too deeply nested values.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedMessageError(RPC.parseError, 'The body is not JSON.');
  }
  if (!isValidUtf8(text)) throw new MalformedMessageError(RPC.parseError, 'The body is not UTF-8.');
  return value;
}

/** Refuses duplicate keys: policy and server could otherwise read different names from one message. */
function readUnique(text: ByteText, id?: ByteText): Member[] {
  try {
    return readMembers(text);
  } catch (error) {
    if (error instanceof DuplicateKeyError) throw invalid(error.message, id);
    throw error;
  }
}

/** The error object for an unknown method. */
export const NO_SUCH_METHOD: ByteText = jsonBytes({ code: RPC.methodNotFound, message: 'Method not found' });
