import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { authorizeUrl, newPkce, newState } from './authorize-url.ts';

const PARTS = {
  endpoint: 'https://auth.example.com/authorize?tenant=a%20b&state=theirs',
  clientId: 'id&x=1',
  redirectUri: 'http://127.0.0.1:1/callback',
  state: 's',
  challenge: 'c',
  scopes: [],
};

it('keeps what the endpoint has, and lets nothing of it stand in for ours', () => {
  const { searchParams } = new URL(authorizeUrl(PARTS));
  expect(searchParams.get('tenant')).toBe('a b');
  expect(searchParams.getAll('state')).toEqual(['s']);
  expect(searchParams.get('client_id')).toBe('id&x=1');
  expect(searchParams.has('scope')).toBe(false);
  expect(searchParams.has('resource')).toBe(false);
  expect(searchParams.get('code_challenge_method')).toBe('S256');
});

it('asks for a consent where a sign-in is to last', () => {
  const url = new URL(authorizeUrl({ ...PARTS, scopes: ['a', 'offline_access'], resource: 'https://s/mcp' }));
  expect(url.searchParams.get('scope')).toBe('a offline_access');
  expect(url.searchParams.get('prompt')).toBe('consent');
  expect(url.searchParams.get('resource')).toBe('https://s/mcp');
});

it('makes a challenge that is the digest of its verifier, and never the same twice', () => {
  const { verifier, challenge } = newPkce();
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(challenge).toBe(createHash('sha256').update(verifier).digest('base64url'));
  expect(newPkce().verifier).not.toBe(verifier);
  expect(Buffer.from(newState(), 'base64url')).toHaveLength(16);
});
