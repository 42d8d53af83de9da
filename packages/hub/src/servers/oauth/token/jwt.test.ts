import { generateKeyPairSync } from 'node:crypto';
import {
  compactVerify,
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeProtectedHeader,
  importJWK,
  jwtVerify,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { dpopProof, newDpopKey } from './dpop.ts';
import { publicJwk, readSigningKey, signJwt } from './jwt.ts';

const KINDS = [
  ['RS256', generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey],
  ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
  ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey],
  ['EdDSA', generateKeyPairSync('ed25519').privateKey],
] as const;

describe('a signed token', () => {
  it.each(KINDS)('%s is read by others, with the key as PEM and as JWK', async (algorithm, privateKey) => {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    const jwk = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'one' });
    for (const text of [pem, jwk]) {
      const key = readSigningKey(text);
      expect(key.algorithm).toBe(algorithm);
      const token = signJwt(key, { typ: 'JWT' }, { iss: 'me', aud: 'you' });
      const publicKey = await importJWK(publicJwk(key.key) as Parameters<typeof importJWK>[0], algorithm);
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, { audience: 'you' });
      expect(payload['iss']).toBe('me');
      expect(protectedHeader.kid).toBe(text === jwk ? 'one' : undefined);
    }
  });

  it('is signed with PS256 where the key says so', async () => {
    const [, privateKey] = KINDS[0];
    const key = readSigningKey(JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg: 'PS256' }));
    const token = signJwt(key, {}, { a: 1 });
    const set = createLocalJWKSet({ keys: [publicJwk(key.key)] });
    expect((await compactVerify(token, set)).protectedHeader.alg).toBe('PS256');
  });

  it.each(['', 'x', '{}', '{"kty":"oct","k":"AAAA"}', '-----BEGIN PRIVATE KEY-----'])(
    'takes no %s for a key',
    (text) => expect(() => readSigningKey(text)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' })),
  );

  it('never has the private half in the public one', () => {
    for (const [, privateKey] of KINDS)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi'])
        expect(publicJwk(privateKey)).not.toHaveProperty(secret);
  });
});

describe('a proof of possession', () => {
  it('is what RFC 9449 wants: method, address without query, time, nonce, and the digest of the token', async () => {
    const jwk = newDpopKey();
    const proof = dpopProof(jwk, {
      method: 'POST',
      url: 'https://mcp.example.com/mcp?x=1#y',
      now: 1_700_000_000_500,
      nonce: 'n',
      accessToken: 'token',
    });
    const header = decodeProtectedHeader(proof) as { typ: string; alg: string; jwk: { kty: string } };
    expect(header).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256' });
    expect(header.jwk).not.toHaveProperty('d');
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
});
