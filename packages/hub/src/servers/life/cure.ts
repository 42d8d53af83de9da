/** What may put right why a server cannot be had. Pure. */
import type { PincerError } from '../../core/errors.ts';

/** `person`: somebody has to change a setting, or the server; it is tried again, but rarely. */
export type Cure = 'time' | 'sign-in' | 'person';

/** Refusals that say the same until something is changed: forbidden, no such endpoint, gone. */
const LASTING_STATUSES: readonly unknown[] = [301, 302, 303, 307, 308, 403, 404, 405, 410, 415];

export function cureOf({ code, data }: PincerError): Cure {
  if (code === 'SIGN_IN_NEEDED' || code === 'SCOPE_NEEDED') return 'sign-in';
  // It was there a moment ago.
  if (code === 'SERVER_GONE') return 'time';
  if (data?.['neverRan'] === true || LASTING_STATUSES.includes(data?.['status'])) return 'person';
  return code === 'SERVER_PROTOCOL' && data?.['status'] === undefined ? 'person' : 'time';
}

/** The longest that a server can ask for before it is tried all the same. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** How long the server wants to be left alone. */
export function retryAfterOf({ data }: PincerError): number | undefined {
  const given = data?.['retryAfterMs'];
  return typeof given === 'number' ? Math.min(given, MAX_RETRY_AFTER_MS) : undefined;
}
