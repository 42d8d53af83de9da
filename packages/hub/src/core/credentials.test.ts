import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../test/kit/sha256.ts';
import type { Caller } from './caller.ts';
import { createCredentials, type Credentials } from './credentials.ts';

const caller = (id: string): Caller => ({ id, name: id, scopes: {} });
const TOKEN = 'dGhpcyBpcyBhIHRva2Vu_-.~+/=';

const withToken = (): Credentials => {
  const credentials = createCredentials(sha256);
  credentials.set(sha256(TOKEN), caller('a'));
  return credentials;
};

describe('authenticate', () => {
  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER   ${TOKEN}`, `Bearer ${TOKEN}  `])(
    'finds the caller of %j',
    (header) => {
      expect(withToken().authenticate(header)).toEqual(caller('a'));
    },
  );

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer${TOKEN}`,
    `Bearer\t${TOKEN}`,
    ` Bearer ${TOKEN}`,
    `Basic ${TOKEN}`,
    `Token ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN}, Bearer ${TOKEN}`,
    `Bearer ${TOKEN}\n`,
    `Bearer "${TOKEN}"`,
    `Bearer ${sha256(TOKEN)}`,
    `Bearer ${'a'.repeat(513)}`,
    'Bearer ünï',
    'Bearer __proto__',
    'Bearer constructor',
  ])('finds no caller for %j', (header) => {
    expect(withToken().authenticate(header)).toBeUndefined();
  });

  it('tells callers apart', () => {
    const credentials = withToken();
    credentials.set(sha256('other'), caller('b'));
    expect(credentials.authenticate('Bearer other')?.id).toBe('b');
    expect(credentials.authenticate(`Bearer ${TOKEN}`)?.id).toBe('a');
  });
});

describe('changes', () => {
  it('a revoked token is refused and the others stay valid', () => {
    const credentials = withToken();
    credentials.set(sha256('other'), caller('b'));
    credentials.revoke(sha256(TOKEN));
    expect(credentials.authenticate(`Bearer ${TOKEN}`)).toBeUndefined();
    expect(credentials.authenticate('Bearer other')?.id).toBe('b');
  });

  it('every change increases the version, so that caches expire', () => {
    const credentials = createCredentials(sha256);
    const versions = [credentials.version];
    credentials.set(sha256('a'), caller('a'));
    versions.push(credentials.version);
    credentials.set(sha256('a'), { ...caller('a'), scopes: { readOnly: true } });
    versions.push(credentials.version);
    credentials.revoke(sha256('a'));
    versions.push(credentials.version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
  });

  it('looking up a token does not change the version', () => {
    const credentials = withToken();
    const { version } = credentials;
    credentials.authenticate(`Bearer ${TOKEN}`);
    credentials.authenticate('Bearer wrong');
    expect(credentials.version).toBe(version);
  });

  it('new scopes replace the old ones', () => {
    const credentials = withToken();
    credentials.set(sha256(TOKEN), { ...caller('a'), scopes: { servers: ['x'] } });
    expect(credentials.authenticate(`Bearer ${TOKEN}`)?.scopes).toEqual({ servers: ['x'] });
  });
});
