/** Signed JSON (RFC 7515, 7518, 7638), as far as a client needs it: to sign, and to name its key. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { PincerError } from '../../../core/errors.ts';

export interface SigningKey {
  readonly key: KeyObject;
  readonly algorithm: string;
  /** The name of the key, where it has one. */
  readonly id?: string | undefined;
}

/** PEM, or a JWK as JSON. */
export function readSigningKey(text: string): SigningKey {
  try {
    if (!text.trimStart().startsWith('{')) return keyOf(createPrivateKey(text));
    return signingKeyOf(JSON.parse(text) as JsonWebKey);
  } catch (cause) {
    throw new PincerError('CONFIG_INVALID', 'auth.privateKey is no private key that can sign.', {
      hint: 'It takes a PEM (PKCS#8) or a JWK, RSA, EC (P-256, P-384, P-521) or Ed25519; keep it in the vault: `pincer secret set NAME`.',
      cause,
    });
  }
}

export const signingKeyOf = (jwk: JsonWebKey): SigningKey =>
  keyOf(
    createPrivateKey({ key: jwk, format: 'jwk' }),
    typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined,
    typeof jwk['alg'] === 'string' ? jwk['alg'] : undefined,
  );

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

function keyOf(key: KeyObject, id?: string, wanted?: string): SigningKey {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const algorithm =
    type === 'rsa'
      ? wanted !== undefined && /^[RP]S(?:256|384|512)$/.test(wanted)
        ? wanted
        : 'RS256'
      : type === 'ed25519'
        ? 'EdDSA'
        : CURVES[details?.namedCurve ?? ''];
  if (algorithm === undefined) throw new TypeError(`a ${type} key cannot sign`);
  return { key, algorithm, id };
}

export function signJwt({ key, algorithm, id }: SigningKey, header: object, claims: object): string {
  const head = { alg: algorithm, ...(id !== undefined && { kid: id }), ...header };
  const input = `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`;
  return `${input}.${signature(key, algorithm, input).toString('base64url')}`;
}

function signature(key: KeyObject, algorithm: string, input: string): Buffer {
  const data = Buffer.from(input);
  if (algorithm === 'EdDSA') return sign(null, data, key);
  const hash = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('ES')) return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
  // RSASSA-PSS with a salt as long as the digest (RFC 7518 §3.5); the number is RSA_PKCS1_PSS_PADDING.
  return algorithm.startsWith('PS')
    ? sign(hash, data, { key, padding: 6, saltLength: Number(algorithm.slice(2)) / 8 })
    : sign(hash, data, key);
}

/** The public half, with nothing else in it. */
export function publicJwk(key: KeyObject): JsonWebKey {
  const { d: _, ...jwk } = createPublicKey(key).export({ format: 'jwk' });
  return jwk;
}

const base64url = (data: string | Buffer): string => Buffer.from(data).toString('base64url');

export const sha256url = (text: string): string => createHash('sha256').update(text).digest('base64url');
