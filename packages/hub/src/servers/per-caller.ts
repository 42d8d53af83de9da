/** What is different where everyone signs in for themselves. Pure. */
import { PincerError } from '../core/errors.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';

/** What the server says to all is not what this one has to do. */
export const forCaller = (reason: PincerError, own: Pick<ServerTokens, 'hint'> | undefined): PincerError =>
  reason.code === 'SIGN_IN_NEEDED'
    ? new PincerError(reason.code, reason.message, { hint: own?.hint, data: reason.data, cause: reason })
    : reason;

/** The connection that would hear of changes is another person's. */
export const noSharedWatch = (name: string): PincerError =>
  new PincerError(
    'RESOURCE_UNKNOWN',
    `Changes of resources of "${name}" cannot be followed: everyone signs in to it for themselves.`,
    { hint: 'Read the resource when it is needed.' },
  );
