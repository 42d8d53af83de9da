import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PincerError } from '../core/errors.ts';
import { EMPTY_OFFER, toRawOffer, type RawOffer } from '../core/catalog/offer.ts';
import type { Store, StoredCall, StoredCredential } from '../core/ports.ts';
import { STATE_SCHEMA } from './schema.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

const EMPTY = toRawOffer(EMPTY_OFFER);
const clock = { now: () => 1_790_000_000_000, elapsed: () => 0 };

const call = (changes: Partial<StoredCall> = {}): StoredCall => ({
  at: clock.now(),
  caller: 'claude-code',
  surface: 'mcp-http',
  server: 'github',
  method: 'tools/call',
  tool: 'create_issue',
  outcome: 'ok',
  code: undefined,
  durationMs: 12.5,
  arguments: undefined,
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
  throw new Error('no error was thrown');
};

describe('openStore', () => {
  let folder: string;
  let path: string;
  const opened: Store[] = [];

  const open = (): Store => {
    const store = openTestStore(folder, clock);
    opened.push(store);
    return store;
  };
  const rows = (sql: string): Record<string, unknown>[] => {
    const db = new DatabaseSync(join(folder, 'calls.sqlite'), { readOnly: true });
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

  it('creates the files and their logs for the owner alone', () => {
    open().appendCalls([call()]);
    const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
    const names = ['state', 'cache', 'calls'].flatMap((name) =>
      ['', '-wal', '-shm'].map((end) => `${name}.sqlite${end}`),
    );
    expect(Object.fromEntries(modes)).toEqual(Object.fromEntries(names.map((name) => [name, 0o600])));
  });

  it('keeps every byte of a catalog', () => {
    const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));
    const offer: RawOffer = {
      about: '{"capabilities":{},"instructions":"caf\u00c3\u00a9"}',
      tools: ['{"name":"caf\u00c3\u00a9","n":99999999999999999999}', everyByte, ''],
      prompts: [everyByte],
      resources: ['{"uri":"a:b"}'],
      templates: [],
    };
    const store = open();
    store.saveCatalog({ server: 's', origin: 'digest', offer });
    store.close();
    expect(open().loadCatalogs()).toEqual([{ server: 's', origin: 'digest', offer }]);
  });

  it('replaces the catalog of a server', () => {
    const store = open();
    const changed = { ...EMPTY, tools: ['{"name":"x"}'] };
    store.saveCatalog({ server: 'b', origin: '1', offer: { ...EMPTY, prompts: ['{}', '{}'] } });
    store.saveCatalog({ server: 'a', origin: '1', offer: EMPTY });
    store.saveCatalog({ server: 'b', origin: '2', offer: changed });
    expect(store.loadCatalogs()).toEqual([
      { server: 'a', origin: '1', offer: EMPTY },
      { server: 'b', origin: '2', offer: changed },
    ]);
  });

  it('saves, changes and deletes credentials', () => {
    const store = open();
    const scopes = { servers: ['github'], tools: ['github.list_*'], readOnly: true };
    store.saveCredential(credential());
    store.saveCredential(credential({ id: 'c2', tokenHash: 'cd'.repeat(32), createdAt: 2 }));
    store.saveCredential(credential({ name: 'desktop', scopes }));
    expect(store.loadCredentials()).toEqual([
      credential({ name: 'desktop', scopes }),
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

  it('stores the method of a call and its arguments, if any', () => {
    const text = '{"path":"/ö","token":"[redacted]"}';
    open().appendCalls([call({ method: 'resources/read', tool: 'a:ö' }), call({ arguments: text })]);
    expect(rows('SELECT method, tool, arguments FROM calls')).toEqual([
      { method: 'resources/read', tool: 'a:ö', arguments: null },
      { method: 'tools/call', tool: 'create_issue', arguments: text },
    ]);
  });

  it('migrates a file of the first schema', () => {
    const old = new DatabaseSync(path);
    old.exec(`CREATE TABLE catalogs (server TEXT PRIMARY KEY, origin TEXT NOT NULL, tools BLOB NOT NULL)
                STRICT, WITHOUT ROWID;
              CREATE TABLE credentials (id TEXT PRIMARY KEY, name TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
                scopes TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
              CREATE TABLE calls (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, caller TEXT NOT NULL,
                surface TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, outcome TEXT NOT NULL, code TEXT,
                duration_ms REAL NOT NULL) STRICT;
              INSERT INTO catalogs VALUES ('s', 'digest', x'5b5d');
              INSERT INTO credentials VALUES ('c1', 'laptop', 'ab', '{}', 1);
              INSERT INTO calls VALUES (1, ${clock.now()}, 'c', 'mcp-http', 's', 'x', 'ok', NULL, 1.5);
              PRAGMA user_version = 1;`);
    old.close();
    const store = open();
    expect(store.incidents()).toEqual([]);
    expect(store.loadCatalogs()).toEqual([]);
    expect(store.loadCredentials().map(({ id }) => id)).toEqual(['c1']);
    store.appendCalls([call({ method: 'prompts/get' })]);
    expect(rows('SELECT tool, method FROM calls ORDER BY id')).toEqual([
      { tool: 'x', method: 'tools/call' },
      { tool: 'create_issue', method: 'prompts/get' },
    ]);
  });

  it('writes a batch completely or not at all, and continues after a failure', () => {
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

  it('refuses a file of a newer schema and leaves it unchanged', () => {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${STATE_SCHEMA.migrations.length + 1}`);
    db.close();
    const error = thrownBy(open);
    expect(PincerError.is(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'CONFIG_UNREADABLE',
      hint: expect.stringContaining('Update Pincer'),
    });
    expect(readdirSync(folder)).toEqual(['state.sqlite']);
  });

  it('names the file that cannot be opened', () => {
    path = join(folder, 'missing', 'state.sqlite');
    const error = thrownBy(() => openTestStore(join(folder, 'missing'), clock));
    expect(error).toMatchObject({ code: 'CONFIG_UNREADABLE', message: expect.stringContaining(path) });
  });
});
