import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { readSigningKey } from '../token/jwt.ts';
import { methodGiven, methodToRegister, methodWithSecret } from './registration.ts';
import { clientProof } from '../token/token-request.ts';

const PARTS = { now: 1_700_000_000_000, audience: 'https://auth.example.com' };

describe('clientProof', () => {
  it('of a public client is its name', () =>
    expect(clientProof({ clientId: 'c', authMethod: 'none', how: 'dynamic' }, PARTS)).toEqual({
      headers: {},
      params: { client_id: 'c' },
    }));

  it('with a secret is a header, both halves encoded first, or a field', () => {
    const client = { clientId: 'c:1', clientSecret: 'a b%&', how: 'configured' } as const;
    expect(clientProof({ ...client, authMethod: 'client_secret_basic' }, PARTS)).toEqual({
      headers: { authorization: `Basic ${Buffer.from('c%3A1:a+b%25%26').toString('base64')}` },
      params: {},
    });
    expect(clientProof({ ...client, authMethod: 'client_secret_post' }, PARTS).params).toEqual({
      client_id: 'c:1',
      client_secret: 'a b%&',
    });
  });

  it('with a key is an assertion for the issuer that lives for a minute', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = readSigningKey(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const client = { clientId: 'c', authMethod: 'private_key_jwt', how: 'configured' } as const;
    const { params } = clientProof(client, { ...PARTS, key });
    expect(params['client_assertion_type']).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    expect(decodeJwt(params['client_assertion']!)).toMatchObject({
      iss: 'c',
      sub: 'c',
      aud: PARTS.audience,
      iat: 1_700_000_000,
      exp: 1_700_000_060,
      jti: expect.any(String) as string,
    });
  });
});

describe('how a client proves itself', () => {
  it('with a secret is as the authorization server likes it, HTTP Basic where it says nothing', () => {
    expect(methodWithSecret(undefined)).toBe('client_secret_basic');
    expect(methodWithSecret(['client_secret_post', 'client_secret_basic'])).toBe('client_secret_basic');
    expect(methodWithSecret(['client_secret_post'])).toBe('client_secret_post');
  });

  it('is registered without a secret where that is let pass', () => {
    expect(methodToRegister(undefined)).toBe('none');
    expect(methodToRegister(['client_secret_basic', 'none'])).toBe('none');
    expect(methodToRegister(['client_secret_post'])).toBe('client_secret_post');
  });

  it('is what it was given, as far as that can be', () => {
    expect(methodGiven('client_secret_post', 's', undefined)).toBe('client_secret_post');
    expect(methodGiven('none', undefined, undefined)).toBe('none');
    expect(methodGiven('client_secret_basic', undefined, undefined)).toBe('none');
    expect(methodGiven(undefined, 's', ['client_secret_post'])).toBe('client_secret_post');
    expect(methodGiven('none', 's', ['none'])).toBe('none');
    expect(methodGiven('none', 's', ['client_secret_post'])).toBe('client_secret_post');
    expect(methodGiven('tls_client_auth', 's', undefined)).toBe('client_secret_basic');
  });
});
