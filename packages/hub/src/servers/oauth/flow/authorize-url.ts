/** The link that somebody opens to sign in (RFC 6749 §4.1.1, RFC 7636, RFC 8707). */
import { randomBytes } from 'node:crypto';
import { scopeText } from '../scope-text.ts';
import { sha256url } from '../token/jwt.ts';

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: sha256url(verifier) };
}

/** 128 bits that nobody can guess. */
export const newState = (): string => randomBytes(16).toString('base64url');

export interface AuthorizeParts {
  readonly endpoint: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  /** Absent: it is not sent. */
  readonly resource?: string | undefined;
}

export function authorizeUrl(parts: AuthorizeParts): string {
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
