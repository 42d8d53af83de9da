import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import {
  calculateJwkThumbprint,
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { boundHeaders, newDpopKey, readSigningKey, type SigningKey } from './signing-keys.ts';
import { clientAuth } from './token-endpoint.ts';

const rsa = (bits: number): KeyObject => generateKeyPairSync('rsa', { modulusLength: bits }).privateKey;

const KINDS = [
  ['RS256', rsa(2_048)],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
  ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey],
  ['EdDSA', generateKeyPairSync('ed25519').privateKey],
] as const;

const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

/** The public half of a JWK. */
const publicOf = (key: KeyObject) => {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' });
  return { kty: kty!, crv, x, y, n, e } as Parameters<typeof importJWK>[0];
};

/** The assertion that authenticates a client with this key. */
async function assertionBy(key: SigningKey): Promise<string> {
  const client = { clientId: 'me', authMethod: 'private_key_jwt', how: 'configured' } as const;
  const body = new URLSearchParams();
  await clientAuth({ client, key, clock: { now: () => Date.now() } })(
    { issuer: 'https://you' },
    { client_id: 'me' },
    body,
    new Headers(),
  );
  return body.get('client_assertion')!;
}

describe('a signed token', () => {
  it.each(KINDS)(
    '%s is verified by another library, with the key as PEM and as JWK',
    async (algorithm, privateKey) => {
      const jwk = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' });
      for (const text of [pemOf(privateKey), jwk]) {
        const key = readSigningKey(text);
        expect(key.algorithm).toBe(algorithm);
        const publicKey = await importJWK(publicOf(privateKey), algorithm);
        const { payload, protectedHeader } = await jwtVerify(await assertionBy(key), publicKey, {
          audience: 'https://you',
          algorithms: [algorithm],
          typ: 'JWT',
        });
        expect(payload['iss']).toBe('me');
        expect(protectedHeader.kid).toBe(text === jwk ? 'one' : undefined);
      }
    },
  );

  it.each(['PS256', 'PS384', 'RS512'])('is signed with %s if the key names it', async (alg) => {
    const [, privateKey] = KINDS[0];
    const key = readSigningKey(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg }));
    const set = createLocalJWKSet({ keys: [publicOf(privateKey)] });
    expect((await compactVerify(await assertionBy(key), set)).protectedHeader.alg).toBe(alg);
  });

  it.each([
    '',
    'x',
    '{}',
    '{"kty":"oct","k":"AAAA"}',
    '-----BEGIN PRIVATE KEY-----',
    pemOf(rsa(1_024)),
    pemOf(generateKeyPairSync('x25519').privateKey),
    pemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey),
  ])('refuses %s as a key', (text) =>
    expect(() => readSigningKey(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' })),
  );
});

describe('a proof of possession', () => {
  const REQUEST = {
    method: 'POST',
    url: 'https://mcp.example.com/mcp?x=1#y',
    now: 1_700_000_000_500,
    accessToken: 'token',
  };

  it('has what RFC 9449 requires: method, address without query, time, nonce, and the digest of the token', async () => {
    const jwk = newDpopKey();
    const { authorization, dpop: proof } = await boundHeaders(jwk, { ...REQUEST, nonce: 'n' });
    expect(authorization).toBe('DPoP token');
    const header = decodeProtectedHeader(proof) as { typ: string; alg: string; jwk: { kty: string } };
    expect(header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' });
    const { payload } = await jwtVerify(proof, await importJWK(header.jwk, 'ES256'));
    expect(payload).toMatchObject({
      htm: 'POST',
      htu: 'https://mcp.example.com/mcp',
      iat: 1_700_000_000,
      nonce: 'n',
      ath: 'PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A',
    });
    expect(payload.jti).toEqual(expect.any(String));
    expect(await calculateJwkThumbprint(header.jwk)).toBe(
      await calculateJwkThumbprint(jwk as { kty: string }),
    );
  });

  it('never contains the private half of the key, nor headers of the library', async () => {
    const headers = await boundHeaders(newDpopKey(), REQUEST);
    expect(Object.keys(headers)).toEqual(['authorization', 'dpop']);
    const { jwk } = decodeProtectedHeader(headers.dpop);
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(jwk).not.toHaveProperty(secret);
  });
});
