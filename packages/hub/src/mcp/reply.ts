/** Where the answer to one message goes: an HTTP response or a line. */
import { jsonBytes, quoted, type ByteText } from '../core/wire/byte-text.ts';

/** A way to a client for whole JSON-RPC messages that it did not ask for. */
export interface Outlet {
  /** Each message is one line of a pipe. */
  readonly isLine?: true;
  /** A notification: it may be lost. */
  notify(text: ByteText): void;
  /** A request: not lost on the way. False: the client cannot be reached here. */
  ask(text: ByteText): boolean;
}

/** What is said here besides the answer comes before it. */
export interface Reply extends Outlet {
  /** A whole JSON-RPC answer. `status` matters where there is HTTP; `pieces` are the same text where it is long. */
  answer(text: ByteText, status: number, pieces?: readonly ByteText[]): void;
  /** Nothing to say: a notification was taken, or the client no longer wants the answer. */
  accept(): void;
  /** The answer may take days: it holds no slot from now on. A failure is what to answer instead. */
  linger(): RpcFailure | undefined;
  /** The call waits for a person: it holds no slot until it goes on. */
  pause(): void;
  /** False: it may not, its credential has been revoked. */
  goOn(): boolean;
}

/** A question is put to a client that reads slowly, and not to one that has this much more than its share unread. */
export const QUESTION_SLACK = 8;

export const notificationText = (method: string, params: ByteText): ByteText =>
  `{"jsonrpc":"2.0","method":${quoted(method)},"params":${params}}`;

export const resultText = (id: ByteText, result: ByteText, extra = ''): ByteText =>
  `${resultHead(id)}${result}${extra}}`;

export const resultPieces = (
  id: ByteText,
  pieces: readonly ByteText[],
  extra: ByteText,
): readonly ByteText[] => [resultHead(id), ...pieces, `${extra}}`];

const resultHead = (id: ByteText): ByteText => `{"jsonrpc":"2.0","id":${id},"result":`;

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly status: number;
}

export const errorText = (id: ByteText | undefined, { code, message, data }: RpcFailure): ByteText =>
  `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${jsonBytes({ code, message, data })}}`;
