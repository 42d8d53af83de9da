/** What Pincer shows an authorization server where nobody is asked. */
import { readFile } from 'node:fs/promises';
import { PincerError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import type { AuthSettings, IdentityProvider, KeptToken } from '../client/settings.ts';
import { readObject, textIn } from '../read-json.ts';
import { hostsOf } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { postToTokenEndpoint, tokenRefusal, type TokenParams } from './token-endpoint.ts';

/** Flows in which nobody has to be there: they can be gone through at any time. */
export const isOwnFlow = (flow: AuthSettings['flow']): boolean =>
  flow === 'client' || flow === 'workload' || flow === 'enterprise';

export interface OwnProofParts {
  readonly fetch: GuardedFetch;
  readonly clock: Pick<Clock, 'now'>;
  readonly auth: AuthSettings;
  readonly issuer: string;
  readonly resource: string;
}

/** The parameters of a token request besides client, scope and resource. */
export async function ownProof(parts: OwnProofParts): Promise<TokenParams> {
  const { flow, workload, identityProvider } = parts.auth;
  if (flow === 'workload') return { grant_type: JWT_BEARER, assertion: await tokenOf('workload', workload) };
  if (flow === 'enterprise') {
    if (identityProvider === undefined) throw missing('identityProvider');
    return { grant_type: JWT_BEARER, assertion: await exchange(parts, identityProvider) };
  }
  return { grant_type: 'client_credentials' };
}

/** RFC 7523 §2.1. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const WHAT = 'The token endpoint of the identity provider';

/** RFC 8693: what the organisation knows of the person becomes a word for this one authorization server and server. */
async function exchange(parts: OwnProofParts, provider: IdentityProvider): Promise<string> {
  const { fetch, clock, issuer, resource } = parts;
  const { url, clientId, clientSecret } = provider;
  const client = {
    clientId,
    how: 'configured',
    ...(clientSecret === undefined
      ? ({ authMethod: 'none' } as const)
      : ({ authMethod: 'client_secret_basic', clientSecret } as const)),
  } as const;
  const { status, text } = await postToTokenEndpoint(
    {
      fetch,
      clock,
      client,
      authorizationServer: { issuer: url, token_endpoint: url },
      bounds: { allowsPrivate: false, named: hostsOf(url) },
    },
    WHAT,
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: ID_JAG,
      subject_token: await tokenOf('identityProvider', provider),
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      audience: issuer,
      resource,
    },
  );
  if (status !== 200) throw tokenRefusal(status, text);
  const fields = readObject(text, WHAT);
  const word = textIn(fields, 'access_token');
  if (word === undefined || textIn(fields, 'issued_token_type') !== ID_JAG)
    throw new PincerError(
      'SIGN_IN_FAILED',
      'The identity provider gave something else than what was asked for.',
    );
  return word;
}

async function tokenOf(setting: string, kept: KeptToken | undefined): Promise<string> {
  if (kept?.token !== undefined) return kept.token;
  if (kept?.file === undefined) throw missing(setting);
  try {
    return (await readFile(kept.file, 'utf8')).trim();
  } catch (cause) {
    throw new PincerError('SIGN_IN_FAILED', `${kept.file} (auth.${setting}.file) cannot be read.`, { cause });
  }
}

const missing = (setting: string): PincerError =>
  new PincerError('CONFIG_INVALID', `auth.${setting} is needed for this auth.flow, and is not set.`, {
    hint: 'docs/sign-in.md has an example.',
  });
