import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { authorizationUrl, codeFromCallback, codeFromPerson, newPkce, newState } from './authorization.ts';
import { verifies } from '../../../../../../test/verifies.ts';

const ISSUER = 'https://auth.example.com';
const EXPECTED = { state: 'right', clientId: 'c', issuer: ISSUER, sendsIssuer: false };
const from = (query: string, expected = EXPECTED): string =>
  codeFromCallback(new URLSearchParams(query), expected);

describe('the answer of the browser', () => {
  it('is accepted with the right state', () => expect(from('code=abc&state=right')).toBe('abc'));

  it.each([
    'code=abc',
    'code=abc&state=',
    'code=abc&state=wrong',
    'code=abc&state=rightX',
    'code=abc&state=Right',
  ])('is refused with a wrong state: %s', (query) =>
    expect(() => from(query)).toThrow(/not belong to a sign-in/),
  );

  it.each([
    'https://evil.example.com',
    'https://auth.example.com/',
    'https://AUTH.example.com',
    'https://auth.example.com:443',
    '',
  ])('is refused with another issuer: %s', (iss) => {
    const query = new URLSearchParams({ code: 'abc', state: 'right', iss }).toString();
    expect(() => from(query)).toThrow(/another authorization server/);
  });

  it('is refused without an issuer if one was announced', () => {
    expect(() => from('code=abc&state=right', { ...EXPECTED, sendsIssuer: true })).toThrow(
      /another authorization/,
    );
    expect(from(`code=abc&state=right&iss=${ISSUER}`, { ...EXPECTED, sendsIssuer: true })).toBe('abc');
  });

  it('is refused with two issuers', () =>
    expect(() => from(`code=abc&state=right&iss=${ISSUER}&iss=https://evil.example.com`)).toThrow(/another/));

  it('is not quoted if it comes from another issuer', () =>
    expect(() =>
      from('error=x&error_description=Call%20this%20number&state=right&iss=https://evil.example.com'),
    ).not.toThrow(/number/));

  it('is quoted without hidden characters', () => {
    expect(() => from('error=access_denied&state=right')).toThrow('declined in the browser');
    expect(() => from('error=bad&error_description=a%1B[2Jb&state=right')).toThrow(/bad: a\\u001b\[2Jb/);
  });

  it.each([
    'state=right',
    'state=right&code=',
    `state=right&code=${'x'.repeat(9_000)}`,
    'state=right&code=abc&state=other',
    'state=right&code=abc&id_token=x',
    'state=right&response=jwt',
  ])('is refused without a code: %s', (query) => expect(() => from(query)).toThrow(/no code/));
});

describe('the text that a person pastes', () => {
  it('is a code, or an address that is checked like the browser’s', () => {
    expect(codeFromPerson(' abc\n', EXPECTED)).toBe('abc');
    expect(codeFromPerson('http://127.0.0.1:1/callback?code=abc&state=right', EXPECTED)).toBe('abc');
    expect(() => codeFromPerson('http://127.0.0.1:1/callback?code=abc&state=wrong', EXPECTED)).toThrow(
      /in progress/,
    );
    expect(() => codeFromPerson('http://127.0.0.1:1/callback?code=abc', EXPECTED)).toThrow(/in progress/);
  });

  it.each(['', '  ', 'two words', 'x'.repeat(9_000)])('is refused if it is neither', (text) =>
    expect(() => codeFromPerson(text, EXPECTED)).toThrow(
      expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
    ),
  );
});

const PARTS = {
  endpoint: 'https://auth.example.com/authorize?tenant=a%20b&state=theirs',
  clientId: 'id&x=1',
  redirectUri: 'http://127.0.0.1:1/callback',
  state: 's',
  challenge: 'c',
  scopes: [],
};

describe('the link', () => {
  it('keeps the endpoint’s parameters, but not in place of Pincer’s', () => {
    const { searchParams } = new URL(authorizationUrl(PARTS));
    expect(searchParams.get('tenant')).toBe('a b');
    expect(searchParams.getAll('state')).toEqual(['s']);
    expect(searchParams.get('client_id')).toBe('id&x=1');
    expect(searchParams.has('scope')).toBe(false);
    expect(searchParams.has('resource')).toBe(false);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
  });

  it('asks for consent if the sign-in should last', () => {
    const url = new URL(
      authorizationUrl({ ...PARTS, scopes: ['a', 'offline_access'], resource: 'https://s/mcp' }),
    );
    expect(url.searchParams.get('scope')).toBe('a offline_access');
    expect(url.searchParams.get('prompt')).toBe('consent');
    expect(url.searchParams.get('resource')).toBe('https://s/mcp');
  });

  it('has a challenge that is the digest of its verifier, and is never the same twice', async () => {
    verifies('004-9.2-verifier');
    const { verifier, challenge } = await newPkce();
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(challenge).toBe(createHash('sha256').update(verifier).digest('base64url'));
    expect((await newPkce()).verifier).not.toBe(verifier);
    expect(Buffer.from(newState(), 'base64url')).toHaveLength(16);
  });
});
