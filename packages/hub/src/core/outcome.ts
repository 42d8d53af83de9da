import type { PincerError } from './errors.ts';
import type { Era } from './protocol.ts';
import type { ByteText } from './wire/byte-text.ts';

/** How a call ended. Exactly one of four, always. */
export type Outcome = Answered | AnsweredError | NotExecuted | OutcomeUnknown;

interface Ended {
  /** The session of an app that ran the call, if the caller addressed the app and not a session. */
  readonly session?: string | undefined;
}

/** The server answered. `result` holds its bytes in the server's era. */
export interface Answered extends Ended {
  readonly kind: 'ok' | 'tool_error';
  readonly result: ByteText;
  /** The same result in pieces, for surfaces that only send it: joining megabytes takes longer than sending them. */
  readonly pieces?: readonly ByteText[] | undefined;
  readonly era: Era;
  /** Unknown members of the answer's envelope, each with its leading comma. */
  readonly extra: ByteText;
}

/** The server answered with a JSON-RPC error object. */
interface AnsweredError extends Ended {
  readonly kind: 'tool_error';
  readonly error: ByteText;
  readonly extra: ByteText;
}

/** It certainly did not run. Safe to repeat. */
interface NotExecuted extends Ended {
  readonly kind: 'not_executed';
  readonly reason: PincerError;
  /** A result in the caller's era to show instead of an error, if the tool promises a result. */
  readonly shown?: ByteText | undefined;
}

/** It was sent and then lost. Pincer never repeats it. */
interface OutcomeUnknown extends Ended {
  readonly kind: 'outcome_unknown';
  readonly reason: PincerError;
  /** A result in the caller's era to show instead of an error, if the tool promises a result. */
  readonly shown?: ByteText | undefined;
}

export type OutcomeKind = Outcome['kind'];

export const OUTCOME_KINDS: readonly OutcomeKind[] = ['ok', 'tool_error', 'not_executed', 'outcome_unknown'];

export const notExecuted = (reason: PincerError): Outcome => ({ kind: 'not_executed', reason });

export const outcomeUnknown = (reason: PincerError): Outcome => ({ kind: 'outcome_unknown', reason });
