import { PincerError } from '../../core/errors.ts';

/** What goes wrong before a request is sent for lack of a token: the server has not seen it. */
export class NotSigned extends Error {
  readonly reason: PincerError;

  constructor(reason: PincerError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** What a connection was opened with is not there any more. */
export const signInOver = (server: string): PincerError =>
  new PincerError('SERVER_GONE', `The sign-in that the connection to "${server}" was opened with is over.`);
