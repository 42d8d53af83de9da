import { PincerError } from '../../../core/errors.ts';

export const appIsFull = (app: string, limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `App ${app} has ${limit} sessions, and may not have more.`, {
    hint: 'Delete sessions that are no longer used, or raise limits.maxSessionsPerApp.',
    data: { limit },
  });

export const toolsAreTooLarge = (app: string, limit: number): PincerError =>
  new PincerError('SERVER_BUSY', `The tools of all sessions of ${app} have more than ${limit} bytes.`, {
    hint: 'Register the same tools for all sessions, or fewer, or raise limits.maxToolBytesPerApp.',
    data: { limit },
  });

/** How many sessions other apps have is not for this one to know. */
export const bookIsFull = (limit: number): PincerError =>
  new PincerError('SERVER_BUSY', 'All apps together have as many sessions as they may.', {
    hint: 'Try again later, or raise limits.maxAppSessions.',
    data: { limit },
  });

export const wrongCredential = (): PincerError =>
  new PincerError('TOKEN_INVALID', 'The first bridge of this session had another credential.', {
    hint: 'Connect with the credential of the first bridge, or create a new session.',
  });

export const idTaken = (): PincerError =>
  new PincerError('INTERNAL', 'The id for a new session belongs to another one.');
