import type { Inbound } from './inbound.ts';
import type { JsonValue } from './json.ts';
import { errorMessage, type ErrorBody } from './outbound.ts';

/** Header fields of an HTTP request, by lower-case name. */
export type Headers = Record<string, string | string[] | undefined>;

/** The client's end as the protocol sees it: a pipe, an HTTP session, or a single HTTP request. */
export interface Connection {
  /** Together with the request id it identifies a request in flight. */
  key: string;
  session?: string;
  /** Set after a legacy client has initialized. */
  version?: string;
  client?: JsonValue | undefined;
  /** Headers of the HTTP request that is being answered. */
  headers?: Headers;
  /** The lowest log level that a legacy client wants. */
  logLevel?: string;
  /** Sends a message that belongs to no request. */
  push(message: string): void;
}

/** Carries the answer of one request and the messages before it. */
export interface Channel {
  send(message: string): void;
}

/** How to handle a message. `status` matters over HTTP only. */
export type Decision =
  | { kind: 'accepted' }
  | { kind: 'answer'; status: number; message: string }
  | {
      kind: 'start';
      /** The answer must be a stream, regardless of the flags. */
      stream: boolean;
      /** Resolves to undefined if the request was cancelled and needs no answer. */
      run(channel: Channel): Promise<string | undefined>;
    };

export function callKey(connection: Connection, rawId: string): string {
  return `${connection.key} ${rawId}`;
}

export function refuse(inbound: Inbound, body: ErrorBody, status = 200): Decision {
  return { kind: 'answer', status, message: errorMessage(inbound.rawId, body) };
}
