import { PincerError } from '../../core/errors.ts';

export const tokenRefused = (path: string): PincerError =>
  new PincerError('TOKEN_INVALID', `The hub does not accept the token in ${path}.`, {
    hint: 'Try again in a moment. If that does not help, end the hub and start it again.',
  });
