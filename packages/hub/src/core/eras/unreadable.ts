import { messageOf, PincerError } from '../errors.ts';
import { outcomeUnknown, type Outcome } from '../outcome.ts';

/** The end of a call whose result has to be read and cannot be: two values under one key are two answers. */
export const unreadable = (error: unknown): Outcome =>
  outcomeUnknown(
    new PincerError('SERVER_PROTOCOL', `The server's result cannot be read: ${messageOf(error)}`, {
      hint: 'Check whether the call took effect before you repeat it.',
      cause: error,
    }),
  );
