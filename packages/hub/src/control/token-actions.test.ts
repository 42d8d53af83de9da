import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../../test/kit/sha256.ts';
import { createCredentials, type Credentials } from '../core/credentials.ts';
import type { StoredCredential } from '../core/ports.ts';
import { type CredentialBook, type CredentialBookParts, openCredentialBook } from './token-actions.ts';

interface Bench {
  readonly book: CredentialBook;
  readonly credentials: Credentials;
  readonly rows: Map<string, StoredCredential>;
}

/** Opens a book whose store is a map. */
function open(rows = new Map<string, StoredCredential>()): Bench {
  const store: CredentialBookParts['store'] = {
    loadCredentials: () => [...rows.values()],
    saveCredential: (credential) => void rows.set(credential.id, credential),
    deleteCredential: (id) => rows.delete(id),
  };
  const credentials = createCredentials(sha256);
  const clock = { now: () => Date.UTC(2026, 6, 28), elapsed: () => 0 };
  const book = openCredentialBook({ store, credentials, clock, digest: sha256 });
  return { book, credentials, rows };
}

describe('an ensured credential', () => {
  const SCOPES = { servers: ['github'], openClaw: true };

  it('keeps its token, also after a restart', () => {
    const { book, rows } = open();
    const { token, isNew } = book.ensure('openclaw:github', SCOPES, undefined);
    expect(isNew).toBe(true);
    expect(book.ensure('openclaw:github', SCOPES, token)).toEqual({ token, isNew: false });
    expect(open(rows).book.ensure('openclaw:github', SCOPES, token)).toEqual({ token, isNew: false });
  });

  it.each<[string, object, boolean]>([
    ['is not the given one', SCOPES, false],
    ['has other scopes', { servers: ['files'] }, true],
  ])('gets a new token if the stored one %s', (_, scopes, passesToken) => {
    const { book, credentials } = open();
    const { token } = book.ensure('x', SCOPES, undefined);
    const other = book.ensure('x', scopes, passesToken ? token : 'lost');
    expect(other).toMatchObject({ isNew: true });
    expect(credentials.authenticate(`Bearer ${token}`)).toBeUndefined();
    expect(credentials.authenticate(`Bearer ${other.token}`)).toMatchObject({ name: 'x', scopes });
  });

  it('keeps its caller id when its token changes', () => {
    const { book } = open();
    book.ensure('x', SCOPES, undefined);
    const caller = book.find('x')!.id;
    book.ensure('x', { servers: ['files'] }, 'lost');
    expect(book.find('x')!.id).toBe(caller);
  });

  it('gets a new caller id after it was revoked', () => {
    const { book } = open();
    book.ensure('x', SCOPES, undefined);
    const caller = book.find('x')!.id;
    book.revoke('x');
    book.add('x', SCOPES);
    expect(book.find('x')!.id).not.toBe(caller);
  });
});

describe('a token', () => {
  it('is 32 random bytes, shown once and stored only as a hash', () => {
    const { book, rows } = open();
    const { token } = book.add('laptop', {});
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(book.add('phone', {}).token).not.toBe(token);
    const kept = JSON.stringify([...rows.values(), book.list()]);
    expect(kept).not.toContain(token);
    expect([...rows.values()][0]).toMatchObject({ name: 'laptop', tokenHash: sha256(token) });
  });

  it('is valid at once, with its scopes', () => {
    const { book, credentials } = open();
    const { token } = book.add('laptop', { servers: ['github'] });
    expect(credentials.authenticate(`Bearer ${token}`)).toMatchObject({
      name: 'laptop',
      scopes: { servers: ['github'] },
    });
  });

  it('stays valid after a restart', () => {
    const first = open();
    const { token } = first.book.add('laptop', { readOnly: true });
    const second = open(first.rows);
    expect(second.credentials.authenticate(`Bearer ${token}`)).toMatchObject({ scopes: { readOnly: true } });
    expect(second.book.list()).toEqual([
      { name: 'laptop', scopes: { readOnly: true }, createdAt: '2026-07-28T00:00:00.000Z' },
    ]);
  });

  it('is invalid after it was revoked, also after a restart', () => {
    const { book, credentials, rows } = open();
    const { token } = book.add('laptop', {});
    const { token: other } = book.add('phone', {});
    const { version } = credentials;
    book.revoke('laptop');
    expect(credentials.authenticate(`Bearer ${token}`)).toBeUndefined();
    expect(credentials.authenticate(`Bearer ${other}`)?.name).toBe('phone');
    expect(credentials.version).toBeGreaterThan(version);
    expect(open(rows).credentials.authenticate(`Bearer ${token}`)).toBeUndefined();
    expect(book.list().map(({ name }) => name)).toEqual(['phone']);
  });

  it('has a unique name', () => {
    const { book } = open();
    book.add('laptop', {});
    expect(() => book.add('laptop', {})).toThrow(expect.objectContaining({ code: 'USAGE' }));
    book.revoke('laptop');
    expect(() => book.add('laptop', {})).not.toThrow();
  });

  it.each(['local', 'admin'])('cannot have the name of a token file: %s', (name) => {
    const { book, rows } = open();
    expect(() => book.add(name, {})).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(rows.size).toBe(0);
  });

  it.each(['unknown', '', '__proto__', 'constructor'])('cannot be revoked by the unknown name %j', (name) => {
    expect(() => open().book.revoke(name)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
