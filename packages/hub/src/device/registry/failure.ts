/** Why a command could not do what it was asked: a text that is documented, and what to do about it. */
export interface FailureDetails {
  /** The next step. It follows the text. */
  readonly hint?: string | undefined;
  /** What gateways and other nodes call it, such as `CAMERA_DISABLED`. */
  readonly code?: string | undefined;
  /** It certainly did nothing. */
  readonly notExecuted?: boolean | undefined;
  /** For the log alone: paths and names of devices do not leave the machine with an error. */
  readonly cause?: unknown;
}

export class CommandFailure extends Error {
  readonly hint: string | undefined;
  readonly code: string | undefined;
  readonly notExecuted: boolean;

  constructor(text: string, { hint, code, notExecuted = false, cause }: FailureDetails = {}) {
    super(text, cause === undefined ? undefined : { cause });
    this.name = 'CommandFailure';
    this.hint = hint;
    this.code = code;
    this.notExecuted = notExecuted;
  }
}

/** Nobody wants it any more. */
export const cancelled = (details?: FailureDetails, text = 'cancelled'): CommandFailure =>
  new CommandFailure(text, details);
