/** What comes back from the browser, or from the person's clipboard, and whether it is ours. Pure. */
import { timingSafeEqual } from 'node:crypto';
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';

/** What a flow remembers of itself. */
export interface Expected {
  readonly state: string;
  readonly issuer: string;
  /** The authorization server has announced that it says who it is (RFC 9207). */
  readonly sendsIssuer: boolean;
}

/**
 * A code, or the whole address that the browser was sent to. Of an address, state and issuer are checked; a bare code is
 * the person's own word.
 */
export function codeFromPerson(text: string, expected: Expected): string {
  const trimmed = text.trim();
  const url = /^https?:\/\//i.test(trimmed) ? URL.parse(trimmed) : null;
  if (url !== null) return codeFromCallback(url.searchParams, expected);
  if (trimmed === '' || /\s/.test(trimmed) || trimmed.length > MAX_CODE)
    throw new PincerError('ARGUMENT_INVALID', 'This is neither a code nor the address of a page.', {
      hint: 'Paste the whole address that the browser shows after you signed in: it begins with http://127.0.0.1.',
    });
  return trimmed;
}

const MAX_CODE = 8_192;

/** Whether what came back belongs to the flow; anyone on this machine can knock. */
export const isOwnState = (params: URLSearchParams, state: string): boolean => {
  const given = Buffer.from(params.get('state') ?? '');
  const own = Buffer.from(state);
  return given.length === own.length && timingSafeEqual(given, own);
};

/** The issuer is looked at before anything else is believed, the error included (RFC 9207 §2.4). */
export function codeFromCallback(params: URLSearchParams, { state, issuer, sendsIssuer }: Expected): string {
  if (!isOwnState(params, state))
    throw new PincerError('SIGN_IN_FAILED', 'This answer belongs to no sign-in that is under way.', {
      hint: 'Begin anew, and use the newest link.',
    });
  const iss = params.get('iss');
  if (params.getAll('iss').length > 1 || (iss === null ? sendsIssuer : iss !== issuer))
    throw new PincerError(
      'SIGN_IN_FAILED',
      'The answer came from another authorization server than the one that was asked. The code was sent to nobody.',
      { data: { issuerMismatch: true } },
    );
  const error = params.get('error');
  if (error !== null) throw refusal(error, params.get('error_description'));
  const code = params.get('code');
  if (code === null || code === '' || code.length > MAX_CODE)
    throw new PincerError('SIGN_IN_FAILED', 'The authorization server sent no code.');
  return code;
}

const refusal = (error: string, description: string | null): PincerError =>
  new PincerError(
    'SIGN_IN_FAILED',
    error === 'access_denied'
      ? 'The sign-in was declined in the browser.'
      : `The authorization server refused (${visible(error.slice(0, 100))}${description === null ? '' : `: ${visible(description.slice(0, 300))}`}).`,
    { data: { oauthError: error.slice(0, 100) } },
  );
