/** What a token endpoint answers (RFC 6749 §5). Pure. */
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { scopesIn } from '../scope-text.ts';
import { fieldsOf, textIn } from '../read-json.ts';

export interface TokenAnswer {
  readonly accessToken: string;
  readonly isDpop: boolean;
  readonly refreshToken?: string;
  readonly expiresInMs?: number;
  /** Absent: those that were asked for. */
  readonly scopes?: readonly string[];
}

/** What fits into a header; whatever else there is could end it and begin another. */
const SENDABLE = /^[\x21-\x7e]+$/;
/** More than thirty years is a mistake of a unit. */
const MAX_SECONDS = 1_000_000_000;

export function readTokenAnswer(status: number, text: string): TokenAnswer {
  const fields = fieldsOf(text);
  if (status !== 200 || fields === undefined) throw tokenRefusal(status, text);
  const accessToken = textIn(fields, 'access_token');
  if (accessToken === undefined || !SENDABLE.test(accessToken)) throw odd('no token that can be used');
  const type = textIn(fields, 'token_type')?.toLowerCase() ?? 'bearer';
  if (type !== 'bearer' && type !== 'dpop') throw odd(`a token of the type "${visible(type)}"`);
  const refreshToken = textIn(fields, 'refresh_token');
  const seconds = secondsIn(fields['expires_in']);
  const scope = textIn(fields, 'scope');
  return {
    accessToken,
    isDpop: type === 'dpop',
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds > 0 && { expiresInMs: Math.min(seconds, MAX_SECONDS) * 1_000 }),
    ...(scope !== undefined && { scopes: scopesIn(scope) }),
  };
}

/** Some write the number as a text. A token that lives for no time would be renewed for each request: that is no time said. */
const secondsIn = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;

/** The OAuth error code is in `data.oauthError`: what to do about it differs. */
export function tokenRefusal(status: number, text: string): PincerError {
  const fields = fieldsOf(text) ?? {};
  const error = textIn(fields, 'error');
  const description = textIn(fields, 'error_description');
  const why = [error, description]
    .filter((text) => text !== undefined)
    .map((text) => visible(text.slice(0, 300)));
  return new PincerError(
    'SIGN_IN_FAILED',
    `The authorization server refused (HTTP ${status}${why.length > 0 ? `, ${why.join(': ')}` : ''}).`,
    { data: { status, ...(error !== undefined && { oauthError: error.slice(0, 100) }) } },
  );
}

const odd = (what: string): PincerError =>
  new PincerError('SIGN_IN_FAILED', `The authorization server gave ${what}.`);
