/** The authorization request that a person opens in a browser, and the response that comes back. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  validateAuthResponse,
} from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { scopeText } from '../scopes.ts';

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export async function newPkce(): Promise<Pkce> {
  const verifier = generateRandomCodeVerifier();
  return { verifier, challenge: await calculatePKCECodeChallenge(verifier) };
}

/** 128 random bits. */
export const newState = (): string => randomBytes(16).toString('base64url');

export interface AuthorizationParts {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  /** The resource indicator (RFC 8707); absent if it is not sent. */
  readonly resource?: string | undefined;
}

/** Builds the link of the authorization request (RFC 6749 §4.1.1, RFC 7636, RFC 8707). */
export function authorizationUrl(parts: AuthorizationParts): string {
  const url = new URL(parts.endpoint);
  const params: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    client_id: parts.clientId,
    redirect_uri: parts.redirectUri,
    state: parts.state,
    code_challenge: parts.challenge,
    code_challenge_method: 'S256',
    scope: scopeText(parts.scopes),
    resource: parts.resource,
    // OpenID Connect Core §11: without a consent there is no offline access.
    prompt: parts.scopes.includes('offline_access') ? 'consent' : undefined,
  };
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.set(name, value);
  url.hash = '';
  return url.href;
}

/** The response that a flow waits for. */
export interface Expected {
  readonly state: string;
  readonly clientId: string;
  readonly issuer: string;
  /** The authorization server has announced that it sends `iss` (RFC 9207). */
  readonly sendsIssuer: boolean;
}

/**
 * Reads a code, or the whole address that the browser was sent to. State and issuer of an address are checked; a bare code
 * has neither.
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

/** Whether a response belongs to the flow. Every program on this machine can send one. */
export const isOwnState = (params: URLSearchParams, state: string): boolean => {
  const given = Buffer.from(params.get('state') ?? '');
  const own = Buffer.from(state);
  return given.length === own.length && timingSafeEqual(given, own);
};

/** Returns the code. The issuer is checked before an error is believed (RFC 9207 §2.4). */
export function codeFromCallback(params: URLSearchParams, expected: Expected): string {
  const { state, clientId, issuer, sendsIssuer } = expected;
  if (!isOwnState(params, state))
    throw new PincerError('SIGN_IN_FAILED', 'This answer does not belong to a sign-in in progress.', {
      hint: 'Start a new sign-in, and use its link.',
    });
  // An empty `iss` does not match.
  const authorizationServer = {
    issuer,
    authorization_response_iss_parameter_supported: sendsIssuer || params.has('iss'),
  };
  try {
    validateAuthResponse(authorizationServer, { client_id: clientId }, params, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw refusal(error.error, error.error_description);
    throw isAboutIssuer(error) ? otherIssuer() : noCode(error);
  }
  const code = params.get('code');
  if (code === null || code === '' || code.length > MAX_CODE) throw noCode();
  return code;
}

/** oauth4webapi has one code for all problems of a response; each message names the parameter. */
const isAboutIssuer = (error: unknown): boolean => error instanceof Error && error.message.includes('"iss"');

const otherIssuer = (): PincerError =>
  new PincerError(
    'SIGN_IN_FAILED',
    'The answer came from another authorization server than the one that was asked. The code was not used.',
    { data: { issuerMismatch: true } },
  );

const noCode = (cause?: unknown): PincerError =>
  new PincerError('SIGN_IN_FAILED', 'The authorization server sent no code.', { cause });

const refusal = (error: string, description: string | undefined): PincerError =>
  new PincerError(
    'SIGN_IN_FAILED',
    error === 'access_denied'
      ? 'The sign-in was declined in the browser.'
      : `The authorization server refused (${visible(error.slice(0, 100))}${description === undefined ? '' : `: ${visible(description.slice(0, 300))}`}).`,
    { data: { oauthError: error.slice(0, 100) } },
  );
