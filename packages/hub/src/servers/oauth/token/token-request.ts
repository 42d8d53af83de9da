/** One request to a token endpoint, for whichever grant. */
import type { Clock } from '../../../core/ports.ts';
import type { Client } from '../grant.ts';
import type { Bounds } from '../guard/bounds.ts';
import type { Answer, GuardedFetch } from '../guard/guarded-fetch.ts';
import { fieldsOf } from '../read-json.ts';
import { dpopProof } from './dpop.ts';
import { type SigningKey, signJwt } from './jwt.ts';
import { readTokenAnswer, type TokenAnswer } from './token-answer.ts';
import { randomUUID } from 'node:crypto';

export interface TokenRequestParts {
  readonly fetch: GuardedFetch;
  readonly bounds: Bounds;
  readonly clock: Pick<Clock, 'now'>;
  readonly tokenEndpoint: string;
  readonly issuer: string;
  readonly client: Client;
  /** Of a client that proves itself by signing. */
  readonly key?: SigningKey | undefined;
  readonly dpop?: { readonly privateJwk: object } | undefined;
}

export type TokenParams = Readonly<Record<string, string | undefined>>;

/** A form that goes to one of the endpoints. */
export interface TokenForm {
  readonly endpoint: string;
  /** For a sentence: `The token endpoint`. */
  readonly what: string;
  readonly params: TokenParams;
}

export async function requestToken(parts: TokenRequestParts, params: TokenParams): Promise<TokenAnswer> {
  const form = { endpoint: parts.tokenEndpoint, what: 'The token endpoint', params };
  const { status, text } = await postForm(parts, form);
  return readTokenAnswer(status, text);
}

/** With the client's proof and, where the grant has a key, the proof of possession. */
export async function postForm(parts: TokenRequestParts, form: TokenForm): Promise<Answer> {
  const first = await post(parts, form);
  const nonce = first.headers['dpop-nonce'];
  // RFC 9449 §8: the first answer may be that it wants a nonce.
  const wantsNonce = parts.dpop !== undefined && fieldsOf(first.text)?.['error'] === 'use_dpop_nonce';
  return wantsNonce && typeof nonce === 'string' ? post(parts, form, nonce) : first;
}

function post(
  { fetch, bounds, clock, client, issuer, key, dpop }: TokenRequestParts,
  { endpoint, what, params }: TokenForm,
  nonce?: string,
): Promise<Answer> {
  const now = clock.now();
  const proof = clientProof(client, { now, audience: issuer, key });
  const given = Object.entries({ ...params, ...proof.params }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return fetch(endpoint, bounds, {
    what,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...proof.headers,
      ...(dpop && { dpop: dpopProof(dpop.privateJwk, { method: 'POST', url: endpoint, now, nonce }) }),
    },
    body: new URLSearchParams(given).toString(),
  });
}

interface ClientProof {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

interface ProofParts {
  /** In milliseconds since 1970. */
  readonly now: number;
  /** Whom the proof is for: the issuer. */
  readonly audience: string;
  readonly key?: SigningKey | undefined;
}

const ASSERTION_SECONDS = 60;

/**
 * What a token request carries so that the authorization server knows which client asks (RFC 6749 §2.3, RFC 7523).
 * Pure.
 */
export function clientProof(client: Client, { now, audience, key }: ProofParts): ClientProof {
  const { clientId, clientSecret = '', authMethod } = client;
  switch (authMethod) {
    case 'none':
      return { headers: {}, params: { client_id: clientId } };
    case 'client_secret_post':
      return { headers: {}, params: { client_id: clientId, client_secret: clientSecret } };
    case 'client_secret_basic': {
      const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
      return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, params: {} };
    }
    case 'private_key_jwt': {
      if (key === undefined) throw new TypeError('a client with private_key_jwt has a key');
      const iat = Math.floor(now / 1_000);
      const claims = {
        iss: clientId,
        sub: clientId,
        aud: audience,
        jti: randomUUID(),
        iat,
        exp: iat + ASSERTION_SECONDS,
      };
      return {
        headers: {},
        params: {
          client_id: clientId,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: signJwt(key, { typ: 'JWT' }, claims),
        },
      };
    }
  }
}

/** RFC 6749 appendix B. */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
