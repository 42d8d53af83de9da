import type { Inbound } from './inbound.ts';
import type { JsonValue } from './json.ts';
import { errorMessage, type ErrorBody } from './outbound.ts';

/** Header fields of an HTTP request, by their names in lower case. */
export type Headers = Record<string, string | string[] | undefined>;

/** The other end as the protocol sees it: a pipe, an HTTP session, or a single HTTP request. */
export interface Connection {
  /** Requests in flight are told apart by this and the id of the request. */
  key: string;
  session?: string;
  /** Set once a legacy client has initialised. */
  version?: string;
  client?: JsonValue | undefined;
  /** Of the HTTP request that is being answered. */
  headers?: Headers;
  /** The least severe log message that a legacy client wants. */
  logLevel?: string;
  /** Sends a message that belongs to no request. */
  push(message: string): void;
}

/** Where the answer of one request goes, and what comes before it. */
export interface Channel {
  send(message: string): void;
}

/** What is to be done with a message. `status` matters over HTTP only. */
export type Decision =
  | { kind: 'accepted' }
  | { kind: 'answer'; status: number; message: string }
  | {
      kind: 'start';
      /** The answer has to be a stream, whatever the flags say. */
      stream: boolean;
      /** Undefined when there is nothing to answer any more, because the request was cancelled. */
      run(channel: Channel): Promise<string | undefined>;
    };

export function callKey(connection: Connection, rawId: string): string {
  return `${connection.key} ${rawId}`;
}

export function refuse(inbound: Inbound, body: ErrorBody, status = 200): Decision {
  return { kind: 'answer', status, message: errorMessage(inbound.rawId, body) };
}
