import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PincerError } from '../core/errors.ts';
import type { CallRecord, Store, StoredCredential } from '../core/ports.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { openStore } from './sqlite.ts';

const clock = { now: () => 1_790_000_000_000, elapsed: () => 0 };

const call = (changes: Partial<CallRecord> = {}): CallRecord => ({
  at: clock.now(),
  caller: 'claude-code',
  surface: 'mcp-http',
  server: 'github',
  tool: 'create_issue',
  outcome: 'ok',
  code: undefined,
  durationMs: 12.5,
  ...changes,
});

const credential = (changes: Partial<StoredCredential> = {}): StoredCredential => ({
  id: 'c1',
  name: 'laptop',
  tokenHash: 'ab'.repeat(32),
  scopes: {},
  createdAt: 1,
  ...changes,
});

const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('openStore', () => {
  let folder: string;
  let path: string;
  const opened: Store[] = [];

  const open = (): Store => {
    const store = openStore(path, clock);
    opened.push(store);
    return store;
  };
  const rows = (sql: string): Record<string, unknown>[] => {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-store-'));
    path = join(folder, 'state.sqlite');
  });
  afterEach(() => {
    for (const store of opened.splice(0)) store.close();
    rmSync(folder, { recursive: true });
  });

  it('creates the file and its log for the owner alone', () => {
    open().appendCalls([call()]);
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      'state.sqlite': 0o600,
      'state.sqlite-wal': 0o600,
      'state.sqlite-shm': 0o600,
    });
  });

  it('keeps every byte of a catalog', () => {
    const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
    const tools = ['{"name":"caf\u00c3\u00a9","n":99999999999999999999}', everyByte, ''];
    const store = open();
    store.saveCatalog({ server: 's', origin: 'digest', tools });
    store.close();
    expect(open().loadCatalogs()).toEqual([{ server: 's', origin: 'digest', tools }]);
  });

  it('replaces the catalog of a server', () => {
    const store = open();
    store.saveCatalog({ server: 'b', origin: '1', tools: ['{}', '{}'] });
    store.saveCatalog({ server: 'a', origin: '1', tools: [] });
    store.saveCatalog({ server: 'b', origin: '2', tools: ['{"name":"x"}'] });
    expect(store.loadCatalogs()).toEqual([
      { server: 'a', origin: '1', tools: [] },
      { server: 'b', origin: '2', tools: ['{"name":"x"}'] },
    ]);
  });

  it('saves, changes and deletes credentials', () => {
    const store = open();
    const scopes = { servers: ['github'], tools: ['github.list_*'], readOnly: true };
    store.saveCredential(credential());
    store.saveCredential(credential({ id: 'c2', tokenHash: 'cd'.repeat(32), createdAt: 2 }));
    store.saveCredential(credential({ name: 'desk', scopes }));
    expect(store.loadCredentials()).toEqual([
      credential({ name: 'desk', scopes }),
      credential({ id: 'c2', tokenHash: 'cd'.repeat(32), createdAt: 2 }),
    ]);
    expect(store.deleteCredential('c1')).toBe(true);
    expect(store.deleteCredential('c1')).toBe(false);
    store.close();
    expect(
      open()
        .loadCredentials()
        .map(({ id }) => id),
    ).toEqual(['c2']);
  });

  it('writes a batch of 500 calls in order', () => {
    const store = open();
    store.appendCalls([]);
    store.appendCalls(
      Array.from({ length: 500 }, (_, index) => call({ at: index + 0.5, tool: `t${index}` })),
    );
    store.appendCalls([call({ outcome: 'not_executed', code: 'POLICY_DENIED' })]);
    const written = rows('SELECT * FROM calls ORDER BY id');
    expect(written).toHaveLength(501);
    expect(written[499]).toMatchObject({
      at: 499,
      tool: 't499',
      outcome: 'ok',
      code: null,
      duration_ms: 12.5,
    });
    expect(written[500]).toMatchObject({ outcome: 'not_executed', code: 'POLICY_DENIED' });
  });

  it('writes all of a batch or nothing, and goes on after a failure', () => {
    const store = open();
    expect(() => store.appendCalls([call(), call({ durationMs: NaN })])).toThrow(/NOT NULL/);
    expect(rows('SELECT * FROM calls')).toEqual([]);
    store.appendCalls([call()]);
    expect(rows('SELECT * FROM calls')).toHaveLength(1);
  });

  it('may be closed twice', () => {
    const store = open();
    store.close();
    expect(() => store.close()).not.toThrow();
  });

  it('refuses a file of a newer schema and leaves it alone', () => {
    open().close();
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.close();
    const error = thrownBy(open);
    expect(PincerError.is(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'CONFIG_UNREADABLE',
      hint: expect.stringContaining('Update Pincer'),
    });
    expect(readdirSync(folder)).toEqual(['state.sqlite']);
  });

  it('says which file cannot be opened', () => {
    path = join(folder, 'missing', 'state.sqlite');
    const error = thrownBy(open);
    expect(error).toMatchObject({ code: 'CONFIG_UNREADABLE', message: expect.stringContaining(path) });
  });
});
