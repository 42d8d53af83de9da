import type { Headers } from './connection.ts';
import type { Era } from './flags.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { RpcError } from './outbound.ts';
import type { FixtureState } from './state.ts';

/** The context of one call. */
export interface ToolContext {
  args: JsonObject;
  /** The exact text of the request's `params`. */
  rawParams: string;
  /** Sends notifications/progress with the caller's token; does nothing if the caller gave none. */
  progress: (progress: number, total?: number, message?: string) => void;
  /** Aborted when the caller cancels. */
  signal: AbortSignal;
  env: NodeJS.ProcessEnv;
  /** Writes a raw line on the channel of the answer. */
  send: (message: string) => void;
  /** Writes a raw line on the channel that belongs to no request. */
  push: (message: string) => void;
  /** Asks a legacy client on the channel of `send` or `push`. Returns the whole answer, `result` or `error`. */
  ask: (method: string, params: JsonObject, way: 'send' | 'push') => Promise<JsonObject>;
  caller: Caller;
  server: FixtureState;
}

export interface Caller {
  era: Era;
  version: string | undefined;
  session: string | undefined;
  client: JsonValue | undefined;
  headers: Headers | undefined;
  /** The client's log level; undefined if it has set none. */
  logLevel: string | undefined;
}

/** An ordinary result; in the modern era the server adds the required members. */
export interface PlainResult {
  content: { type: 'text'; text: string }[];
  structuredContent?: JsonObject;
  isError?: boolean;
}

/** A result as raw text, and the raw text of additional members of the envelope. */
export interface RawResult {
  rawResult: string;
  rawEnvelope?: string;
}

export interface Tool {
  definition: JsonObject & { name: string };
  handle(context: ToolContext): PlainResult | RawResult | Promise<PlainResult | RawResult>;
}

type PropertyType = 'string' | 'number' | 'boolean' | 'string?' | 'number?' | 'boolean?';

/** Defines a tool whose arguments are plain values; a type with `?` is optional. */
export function define(
  name: string,
  description: string,
  properties: Record<string, PropertyType> = {},
  annotations?: JsonObject,
): Tool['definition'] {
  const entries = Object.entries(properties);
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, type]) => [key, { type: type.replace('?', '') }])),
      required: entries.filter(([, type]) => !type.endsWith('?')).map(([key]) => key),
    },
    ...(annotations === undefined ? {} : { annotations }),
  };
}

export function text(value: string): PlainResult {
  return { content: [{ type: 'text', text: value }] };
}

export function structured(value: JsonObject): PlainResult {
  return { ...text(JSON.stringify(value)), structuredContent: value };
}

export function stringArg(args: JsonObject, name: string, fallback?: string): string {
  const value = args[name] ?? fallback;
  if (typeof value === 'string') return value;
  throw new RpcError({ code: -32602, message: `Invalid params: ${name} is not a string` });
}

export function numberArg(args: JsonObject, name: string, fallback?: number): number {
  const value = args[name] ?? fallback;
  if (typeof value === 'number') return value;
  throw new RpcError({ code: -32602, message: `Invalid params: ${name} is not a number` });
}
