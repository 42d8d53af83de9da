import type { PincerError } from './errors.ts';
import type { Era } from './protocol.ts';
import type { ByteText } from './wire/byte-text.ts';

/** How a call ended. Exactly one of four, always. */
export type Outcome = Answered | AnsweredError | NotExecuted | OutcomeUnknown;

interface Ended {
  /** The session of an app that it was for, where the app was asked and not one of its sessions. */
  readonly session?: string | undefined;
}

/** The server answered; `result` are its bytes, in the words of its era. */
export interface Answered extends Ended {
  readonly kind: 'ok' | 'tool_error';
  readonly result: ByteText;
  /** The same in pieces, some of them long, for whoever only sends it: to put megabytes together takes longer than to send them. */
  readonly pieces?: readonly ByteText[] | undefined;
  readonly era: Era;
  /** Members of the answer's envelope that Pincer does not know, each with its leading comma. */
  readonly extra: ByteText;
}

/** The server answered with a JSON-RPC error object. */
interface AnsweredError extends Ended {
  readonly kind: 'tool_error';
  readonly error: ByteText;
  readonly extra: ByteText;
}

/** It certainly did not run: safe to repeat. */
interface NotExecuted extends Ended {
  readonly kind: 'not_executed';
  readonly reason: PincerError;
  /** A result in the caller's era that says so, where the tool promises one instead of an error. */
  readonly shown?: ByteText | undefined;
}

/** It was sent and then lost: never repeated by itself. */
interface OutcomeUnknown extends Ended {
  readonly kind: 'outcome_unknown';
  readonly reason: PincerError;
  /** A result in the caller's era that says so, where the tool promises one instead of an error. */
  readonly shown?: ByteText | undefined;
}

export type OutcomeKind = Outcome['kind'];

export const OUTCOME_KINDS: readonly OutcomeKind[] = ['ok', 'tool_error', 'not_executed', 'outcome_unknown'];

export const notExecuted = (reason: PincerError): Outcome => ({ kind: 'not_executed', reason });

export const outcomeUnknown = (reason: PincerError): Outcome => ({ kind: 'outcome_unknown', reason });
