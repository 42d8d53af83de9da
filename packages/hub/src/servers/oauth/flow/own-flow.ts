/** Sign-ins without a person: with Pincer's own secret or key, with the machine's token, or by an identity provider. */
import { readFile } from 'node:fs/promises';
import { PincerError } from '../../../core/errors.ts';
import type { Clock } from '../../../core/ports.ts';
import { chooseClient } from '../client/registration.ts';
import type { AuthSettings, IdentityProvider, TokenSetting } from '../client/settings.ts';
import { hostsOf } from '../guard/bounds.ts';
import type { GuardedFetch } from '../guard/guarded-fetch.ts';
import { readObject, textIn } from '../read-json.ts';
import { scopeText } from '../scopes.ts';
import { postToTokenEndpoint, tokenRefusal, type TokenParams } from '../token/token-endpoint.ts';
import { newState } from './authorization.ts';
import { createRedeemer, type Flow, type FlowParts } from './flow.ts';

export async function beginOwnFlow(parts: FlowParts): Promise<Flow> {
  const { fetch, clock, server, auth, discovered, scopes } = parts;
  const { bounds, authorizationServer: metadata, resource } = discovered;
  const hasProof = auth.flow !== 'client' || (auth.clientSecret ?? auth.privateKey) !== undefined;
  if (auth.clientId === undefined || !hasProof)
    throw new PincerError(
      'CONFIG_INVALID',
      `Server "${server}" has auth.flow "${auth.flow}" but no credential.`,
      { hint: `Set servers.${server}.auth.clientId, and clientSecret or privateKey where it was given one.` },
    );
  const client = await chooseClient({ fetch, bounds, server, auth, metadata });
  const proof = await ownProof({ fetch, clock, auth, issuer: metadata.issuer, resource });
  const grant = await createRedeemer(parts, client).redeem({
    ...proof,
    scope: scopeText(scopes),
  });
  return {
    state: newState(),
    scopes,
    ended: Promise.resolve({ ok: true, grant }),
    complete: () => Promise.resolve(grant),
    cancel: () => undefined,
  };
}

export interface OwnProofParts {
  readonly fetch: GuardedFetch;
  readonly clock: Pick<Clock, 'now'>;
  readonly auth: AuthSettings;
  readonly issuer: string;
  readonly resource: string;
}

/** Returns the parameters of the token request besides client, scope and resource. */
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

/** RFC 8693: exchanges the ID token of an organisation for an assertion, for this authorization server and server only. */
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
  const assertion = textIn(fields, 'access_token');
  if (assertion === undefined || textIn(fields, 'issued_token_type') !== ID_JAG)
    throw new PincerError(
      'SIGN_IN_FAILED',
      'The identity provider returned another type of token than requested.',
    );
  return assertion;
}

async function tokenOf(name: string, setting: TokenSetting | undefined): Promise<string> {
  if (setting?.token !== undefined) return setting.token;
  if (setting?.file === undefined) throw missing(name);
  try {
    return (await readFile(setting.file, 'utf8')).trim();
  } catch (cause) {
    throw new PincerError('SIGN_IN_FAILED', `${setting.file} (auth.${name}.file) cannot be read.`, { cause });
  }
}

const missing = (name: string): PincerError =>
  new PincerError('CONFIG_INVALID', `auth.${name} is required by this auth.flow, but not set.`, {
    hint: 'docs/sign-in.md has an example.',
  });
