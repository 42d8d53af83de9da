/** Proofs that whoever sends a token is who it was given to (RFC 9449). */
import { generateKeyPairSync, randomUUID, type JsonWebKey } from 'node:crypto';
import { publicJwk, sha256url, signingKeyOf, signJwt } from './jwt.ts';

export interface ProofRequest {
  readonly method: string;
  readonly url: string;
  /** In milliseconds since 1970. */
  readonly now: number;
  /** What the other side wants to see in it. */
  readonly nonce?: string | undefined;
  /** Of a request with a token: the proof is for that one. */
  readonly accessToken?: string | undefined;
}

/** A key for one grant; ES256 is what everyone knows. */
export function newDpopKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
}

export function dpopProof(privateJwk: object, request: ProofRequest): string {
  const { method, url, now, nonce, accessToken } = request;
  const signing = signingKeyOf(privateJwk as JsonWebKey);
  const { origin, pathname } = new URL(url);
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${origin}${pathname}`,
    iat: Math.floor(now / 1_000),
    ...(nonce !== undefined && { nonce }),
    ...(accessToken !== undefined && { ath: sha256url(accessToken) }),
  };
  return signJwt(signing, { typ: 'dpop+jwt', jwk: publicJwk(signing.key) }, claims);
}
