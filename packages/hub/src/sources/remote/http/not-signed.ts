import type { PincerError } from '../../../core/errors.ts';

/** What goes wrong before a request is sent for lack of a token: the server has not seen it. */
export class NotSigned extends Error {
  readonly reason: PincerError;

  constructor(reason: PincerError) {
    super(reason.message);
    this.reason = reason;
  }
}
