/** Private keys, and what Pincer signs with them: client assertions (RFC 7523) and DPoP proofs (RFC 9449). */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  type webcrypto,
} from 'node:crypto';
import {
  allowInsecureRequests,
  customFetch,
  DPoP,
  modifyAssertion,
  protectedResourceRequest,
  type DPoPHandle,
} from 'oauth4webapi';
import { PincerError } from '../../../core/errors.ts';

/** Lets oauth4webapi write requests to http, too. Where http is allowed, on this machine only, the guard decides. */
// oxlint-disable-next-line typescript/no-deprecated -- marked so that it stands out
export const WITH_HTTP = { [allowInsecureRequests]: true } as const;

export interface SigningKey {
  readonly key: webcrypto.CryptoKey;
  /** The `alg` of the JWTs that it signs. */
  readonly algorithm: string;
  /** The `kid` of a JWK. */
  readonly id?: string | undefined;
}

/** Reads a PEM, or a JWK as JSON. */
export function readSigningKey(text: string): SigningKey {
  try {
    if (!text.trimStart().startsWith('{')) return signingKeyOf(createPrivateKey(text));
    const jwk = JSON.parse(text) as JsonWebKey;
    const { kid, alg } = jwk;
    return signingKeyOf(
      createPrivateKey({ key: jwk, format: 'jwk' }),
      typeof kid === 'string' ? kid : undefined,
      typeof alg === 'string' ? alg : undefined,
    );
  } catch (cause) {
    throw new PincerError('CONFIG_INVALID', 'auth.privateKey is not a private key that can sign.', {
      hint: 'It takes a PEM (PKCS#8) or a JWK, RSA, EC (P-256, P-384, P-521) or Ed25519; keep it in the vault: `pincer secret set NAME`.',
      cause,
    });
  }
}

const CURVES: Readonly<Record<string, readonly [algorithm: string, curve: string]>> = {
  prime256v1: ['ES256', 'P-256'],
  secp384r1: ['ES384', 'P-384'],
  secp521r1: ['ES512', 'P-521'],
};
/** RFC 7518 §3.3. */
const MIN_RSA_BITS = 2_048;

function signingKeyOf(key: KeyObject, id?: string, wanted?: string): SigningKey {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const signer = (algorithm: string, parameters: Parameters<KeyObject['toCryptoKey']>[0]): SigningKey => ({
    key: key.toCryptoKey(parameters, false, ['sign']),
    algorithm,
    id,
  });
  if (type === 'ed25519') return signer('EdDSA', 'Ed25519');
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) {
    const algorithm = /^[RP]S(?:256|384|512)$/.test(wanted ?? '') ? wanted! : 'RS256';
    const name = algorithm.startsWith('PS') ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
    return signer(algorithm, { name, hash: `SHA-${algorithm.slice(2)}` });
  }
  const [algorithm, namedCurve] = CURVES[details?.namedCurve ?? ''] ?? [];
  if (algorithm === undefined || namedCurve === undefined) throw new TypeError(`a ${type} key cannot sign`);
  return signer(algorithm, { name: 'ECDSA', namedCurve });
}

/** Creates the key of one grant. Every implementation of DPoP knows ES256. */
export function newDpopKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' });
}

const ES256 = { name: 'ECDSA', namedCurve: 'P-256' };

/** @param nonce the server's nonce; without it, the handle uses the last one that it received. */
export function openDpop(privateJwk: object, now: () => number, nonce?: string): DPoPHandle {
  const key = createPrivateKey({ key: privateJwk as JsonWebKey, format: 'jwk' });
  const keyPair = {
    privateKey: key.toCryptoKey(ES256, false, ['sign']),
    publicKey: createPublicKey(key).toCryptoKey(ES256, true, ['verify']),
  };
  return DPoP({}, keyPair, {
    [modifyAssertion](_header, claims) {
      claims['iat'] = Math.floor(now() / 1_000);
      if (nonce !== undefined) claims['nonce'] = nonce;
    },
  });
}

export interface BoundRequest {
  readonly method: string;
  readonly url: string;
  readonly accessToken: string;
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly nonce?: string | undefined;
}

/** Returns the headers of a request that carries a token bound to a key. The transport of the server sends it. */
export async function boundHeaders(privateJwk: object, request: BoundRequest): Promise<BoundHeaders> {
  const { method, url, accessToken, now, nonce } = request;
  let signed: Record<string, string> = {};
  await protectedResourceRequest(accessToken, method, new URL(url), undefined, null, {
    ...WITH_HTTP,
    DPoP: openDpop(privateJwk, () => now, nonce),
    async [customFetch](_url, { headers }) {
      signed = headers;
      return new Response();
    },
  });
  return { authorization: signed['authorization']!, dpop: signed['dpop']! };
}

export type BoundHeaders = Readonly<Record<'authorization' | 'dpop', string>>;
