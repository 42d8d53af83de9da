import { describe, expect, it } from 'vitest';
import { readChallenge } from './challenge.ts';
import { verifies } from '../../../../../../test/verifies.ts';

describe('readChallenge', () => {
  it('reads the address of the metadata, the scopes and the error', () => {
    verifies('004-5.1-www-authenticate', '004-9.5-parse-scopes');
    expect(
      readChallenge(
        'Bearer realm="x", resource_metadata="https://s/.well-known/oauth-protected-resource", scope="tools:read tools:execute", error="insufficient_scope"',
      ),
    ).toEqual({
      resourceMetadata: 'https://s/.well-known/oauth-protected-resource',
      scopes: ['tools:read', 'tools:execute'],
      error: 'insufficient_scope',
    });
  });

  it.each([
    ['bearer', {}],
    ['Bearer scope=a', { scopes: ['a'] }],
    ['BEARER  Scope = "a  b a"', { scopes: ['a', 'b'] }],
    ['Basic realm="x", Bearer error="invalid_token"', { error: 'invalid_token' }],
    ['Negotiate abcd==, Bearer scope="a"', { scopes: ['a'] }],
    ['Bearer scope="a", DPoP algs="ES256"', { scopes: ['a'] }],
    ['DPoP error="invalid_token"', { error: 'invalid_token' }],
    ['Bearer error="say \\"no\\""', { error: 'say "no"' }],
    ['Bearer scope="a", scope="b"', { scopes: ['a'] }],
    ['Bearer error=invalid_token,scope="a"', { error: 'invalid_token', scopes: ['a'] }],
    ['Bearer scope=""', {}],
    ['Bearer, DPoP resource_metadata="https://s/x"', { resourceMetadata: 'https://s/x' }],
  ])('%s', (header, expected) => expect(readChallenge(header)).toEqual(expected));

  it.each([undefined, '', 'Basic realm="x"', '"', ',,,', 'scope="a"', '====', 'Bearerscope="a"'])(
    '%s asks for no bearer token',
    (header) => expect(readChallenge(header)).toBeUndefined(),
  );

  it('terminates on any text', () => {
    for (const header of [
      'Bearer "',
      'Bearer x="',
      'Bearer =',
      `Bearer ${'a,'.repeat(1_000)}`,
      'Bearer \u0000',
    ])
      expect(readChallenge(header)).toEqual({});
  });

  it('reads a long run of spaces in linear time', () => {
    const began = performance.now();
    expect(readChallenge(`Bearer a=b${' '.repeat(200_000)}"`)).toEqual({});
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
