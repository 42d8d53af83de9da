/**
 * Overwrites each page of a filled store in turn, truncates each file at many lengths, and deletes it. SQLite's own data
 * about the intact file (dbstat) is the reference: how many rows a page holds, and of which table.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isDeep } from '../../../../test/kit/depth.ts';
import { fillStore, overwritePage, pagesOf, rowsIn, type Filled } from '../../../../test/kit/filled-store.ts';
import { eventually } from '../../../../test/kit/processes.ts';
import { openTestStore } from '../../../../test/kit/store.ts';
import type { StoredPin, StoreIncident } from '../core/ports.ts';
import { storeFiles } from './files.ts';
import type { OpenStore } from './sqlite.ts';

const clock = { now: () => Date.now(), elapsed: () => performance.now() };
const CUTS = 20;
/** No test here is about power loss: a disk in memory makes this three times as fast. */
const MEMORY = '/dev/shm';

let root: string;
let original: string;
let filled: Filled;

beforeAll(() => {
  root = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'pincer-damage-'));
  original = join(root, 'original');
  filled = fillStore(original, clock);
});
afterAll(() => rmSync(root, { recursive: true }));

interface Damaged {
  readonly store: OpenStore;
  readonly incidents: readonly StoreIncident[];
}

/** Runs `check` on a damaged copy of the filled folder. */
async function withDamage(
  damage: (home: string) => void,
  check: (opened: Damaged, home: string) => void | Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(root, 'home-'));
  cpSync(original, home, { recursive: true });
  damage(home);
  const store = openTestStore(home, clock);
  try {
    await check({ store, incidents: store.incidents() }, home);
  } finally {
    store.close();
  }
  // Repairs are permanent.
  const again = openTestStore(home, clock);
  expect(again.incidents()).toEqual([]);
  again.close();
  rmSync(home, { recursive: true });
}

/** Expects every pin with its digest. If some were lost, new tools must not be accepted on first sight. */
function expectTrust({ store, incidents }: Damaged): void {
  const digests = (pins: readonly StoredPin[]): string[] =>
    pins.map((pin) => `${pin.server} ${pin.origin} ${pin.tool} ${pin.digest}`).toSorted();
  expect(digests(store.loadPins())).toEqual(digests(filled.pins));
  const isLost = incidents.some(({ message }) => message.includes('are held'));
  expect(store.loadPinDoubts().length > 0).toBe(isLost);
  expect(store.loadCredentials()).toEqual(filled.credentials);
}

const parts = ({ incidents }: Damaged): string[] => incidents.map(({ part }) => part);
const lost = (before: readonly { id: string }[], now: readonly { id: string }[]): number => {
  const known = new Map(now.map((each) => [each.id, each]));
  return before.filter((each) => !isDeepStrictEqual(known.get(each.id), each)).length;
};

const KINDS = ['zeroes', 'random'] as const;
const kindsFor = (page: number): readonly (typeof KINDS)[number][] => (isDeep ? KINDS : [KINDS[page % 2]!]);

describe('state.sqlite', () => {
  it('loses at most the rows of the overwritten page, and names the part', async () => {
    for (const { page, table, rows } of pagesOf(storeFiles(original).state))
      for (const kind of kindsFor(page))
        await withDamage(
          (home) => overwritePage(storeFiles(home).state, page, kind),
          (opened) => {
            const where = `page ${page} of ${table}, ${kind}`;
            expectTrust(opened);
            expect(parts(opened), where).toContain(table);
            const { store } = opened;
            expect(lost(filled.approvals, store.loadApprovals()), where).toBeLessThanOrEqual(
              table === 'approvals' ? rows : 0,
            );
            const isOfApps = table === 'app_sessions' || table === 'app_tool_lists';
            expect(lost(filled.sessions, store.appSessions.load()), where).toBeLessThanOrEqual(
              isOfApps ? Math.max(rows, 1) * filled.sessionsPerList : 0,
            );
            for (const { hint, message } of opened.incidents) {
              expect(message).toContain('state.sqlite');
              expect(hint).not.toBe('');
            }
          },
        );
  });

  it(`keeps its pins and tokens when truncated at any of ${CUTS} lengths or deleted`, async () => {
    const { size } = statSync(storeFiles(original).state);
    const lengths = Array.from({ length: CUTS }, (_, index) => Math.floor((size * index) / CUTS));
    for (const length of lengths)
      await withDamage(
        (home) => truncateSync(storeFiles(home).state, length),
        (opened) => {
          expectTrust(opened);
          expect(opened.incidents, `${length} bytes`).not.toEqual([]);
        },
      );
    await withDamage(
      (home) => rmSync(storeFiles(home).state),
      (opened) => {
        expectTrust(opened);
        expect(opened.incidents).toMatchObject([
          { part: 'file', message: expect.stringContaining('deleted') },
        ]);
      },
    );
  });

  it('from an earlier day is detected, and later pins and tokens are restored', async () => {
    await withDamage(
      (home) => {
        const files = storeFiles(home);
        copyFileSync(files.state, `${files.state}.old`);
        const store = openTestStore(home, clock);
        store.savePins([{ ...filled.pins[0]!, tool: 'later', digest: 'd-later' }]);
        store.deleteCredential(filled.credentials[0]!.id);
        store.close();
        rmSync(files.state);
        copyFileSync(`${files.state}.old`, files.state);
        rmSync(`${files.state}.old`);
      },
      ({ store, incidents }) => {
        expect(incidents).toMatchObject([{ message: expect.stringContaining('older') }]);
        expect(store.loadPins()).toContainEqual(
          expect.objectContaining({ tool: 'later', digest: 'd-later' }),
        );
        expect(store.loadCredentials()).toEqual(filled.credentials.slice(1));
        expect(store.loadApprovals()).toEqual([]);
        expect(store.loadPinDoubts()).not.toEqual([]);
      },
    );
  });

  it('lost together with its replica causes tools of every configured server to be held', async () => {
    await withDamage(
      (home) => {
        rmSync(storeFiles(home).state);
        rmSync(storeFiles(home).replica);
      },
      ({ store }) => {
        expect(store.loadPinDoubts()).toEqual([{ server: undefined, origin: undefined }]);
        store.nameDoubts(['a', 'b']);
        expect(store.loadPinDoubts().map(({ server }) => server)).toEqual(['a', 'b']);
        store.settlePins('a');
        expect(store.loadPinDoubts()).toEqual([{ server: 'b', origin: undefined }]);
      },
    );
  });

  it('is intact if only its replica is damaged', async () => {
    await withDamage(
      (home) => truncateSync(storeFiles(home).replica, 100),
      (opened) => {
        expectTrust(opened);
        expect(opened.incidents).toMatchObject([{ file: expect.stringContaining('replica') }]);
      },
    );
  });
});

describe('cache.sqlite', () => {
  it('affects no other file, whichever page is overwritten', async () => {
    for (const { page, rows } of pagesOf(storeFiles(original).cache))
      await withDamage(
        (home) => overwritePage(storeFiles(home).cache, page, kindsFor(page)[0]!),
        (opened) => {
          expectTrust(opened);
          expect(opened.store.loadPinDoubts()).toEqual([]);
          expect(parts(opened)).toEqual(['catalogs']);
          expect(filled.catalogs - opened.store.loadCatalogs().length).toBeLessThanOrEqual(Math.max(rows, 1));
        },
      );
  });

  it('may be deleted', async () => {
    await withDamage(
      (home) => rmSync(storeFiles(home).cache),
      (opened) => {
        expectTrust(opened);
        expect(opened.incidents).toEqual([]);
      },
    );
  });
});

describe('calls.sqlite', () => {
  it('recovers the rows of its other pages while the hub works', async () => {
    for (const { page, rows } of pagesOf(storeFiles(original).calls).filter(
      // Damage in the middle is found by a check while the hub is idle.
      ({ isMiddle }) => isDeep || !isMiddle,
    ))
      await withDamage(
        (home) => overwritePage(storeFiles(home).calls, page, kindsFor(page)[0]!),
        async (opened, home) => {
          expectTrust(opened);
          if (opened.incidents.length === 0) opened.store.repair('calls');
          expect(opened.store.incidents()).toMatchObject([{ part: 'calls' }]);
          opened.store.appendCalls([filled.call('new')]);
          expect(await eventually(() => opened.store.incidents().length === 2, 20_000)).toBe(true);
          const now = rowsIn(storeFiles(home).calls, 'SELECT tool FROM calls ORDER BY id');
          expect(now.at(-1)).toEqual({ tool: 'new' });
          expect(filled.calls + 1 - now.length, `page ${page}`).toBeLessThanOrEqual(rows);
        },
      );
  });
});

describe('calls.sqlite between two starts', () => {
  it.each([
    ['deleted', (path: string) => rmSync(path)],
    ['emptied', (path: string) => truncateSync(path, 0)],
  ])('is reported missing when it was %s', async (_how, damage) => {
    await withDamage(
      (home) => damage(storeFiles(home).calls),
      (opened, home) => {
        expectTrust(opened);
        const path = storeFiles(home).calls;
        expect(opened.incidents).toMatchObject([
          { file: path, part: 'calls', message: expect.stringContaining(`${path} was deleted or emptied`) },
        ]);
        opened.store.appendCalls([filled.call('new')]);
      },
    );
  });

  it(`is reported when truncated at any of ${CUTS} lengths`, async () => {
    const { size } = statSync(storeFiles(original).calls);
    for (let cut = 1; cut <= CUTS; cut += 1)
      await withDamage(
        (home) => truncateSync(storeFiles(home).calls, size - Math.ceil((size * cut) / (CUTS + 1))),
        (opened) => expect(parts(opened), `${cut} of ${CUTS}`).toContain('calls'),
      );
  });

  it('is not reported in a new or restored folder', () => {
    for (const name of ['new', 'restored']) {
      const home = mkdtempSync(join(root, `${name}-`));
      if (name === 'restored') copyFileSync(storeFiles(original).state, storeFiles(home).state);
      const store = openTestStore(home, clock);
      expect(store.incidents().filter(({ part }) => part === 'calls')).toEqual([]);
      store.close();
    }
  });
});

describe('while the hub works', () => {
  it.each(['state', 'cache', 'calls'] as const)(
    '%s.sqlite may be deleted, replaced or truncated',
    async (name) => {
      for (const damage of [
        (path: string) => rmSync(path),
        (path: string) => rmSync(`${path}-wal`),
        (path: string) => truncateSync(path, 4_096),
        (path: string) => truncateSync(path, 0),
      ])
        await withDamage(
          () => undefined,
          async (opened, home) => {
            const { store } = opened;
            store.appendCalls([filled.call('before')]);
            store.saveCatalog({ server: 'zz', origin: 'o', offer: filled.offer });
            store.savePins([{ ...filled.pins[0]!, tool: 'later' }]);
            await store.look();
            const path = storeFiles(home)[name];
            damage(path);
            const isCut = existsSync(path) && existsSync(`${path}-wal`);
            await store.look();
            expect(store.incidents()).toMatchObject([
              { file: path, message: expect.stringContaining('hub ran') },
            ]);
            if (isCut && name === 'calls')
              expect(await eventually(() => store.incidents().length === 2, 20_000)).toBe(true);
            store.close();
            const again = openTestStore(home, clock);
            expect(again.incidents()).toEqual([]);
            expect(again.loadPins()).toHaveLength(filled.pins.length + 1);
            expect(again.loadPinDoubts()).toEqual([]);
            expect(again.loadCredentials()).toEqual(filled.credentials);
            expect(again.loadCatalogs()).toHaveLength(filled.catalogs + 1);
            again.close();
          },
        );
    },
  );

  it('a write succeeds despite a damaged page', async () => {
    await withDamage(
      () => undefined,
      ({ store }, home) => {
        const path = storeFiles(home).state;
        for (const { page } of pagesOf(path)) if (page > 1) overwritePage(path, page, 'random');
        // Cached pages hide the damage; these rows need other pages.
        for (const pin of filled.pins) store.savePins([{ ...pin, digest: 'changed' }]);
        store.repair('state');
        store.close();
        const again = openTestStore(home, clock);
        expect(again.loadPins().every(({ digest }) => digest === 'changed')).toBe(true);
        expect(again.loadApprovals()).toHaveLength(filled.approvals.length);
        again.close();
      },
    );
  });

  it('keeps at most three damaged files', async () => {
    await withDamage(
      () => undefined,
      ({ store }, home) => {
        for (let time = 0; time < 5; time += 1) {
          store.repair('state');
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
        }
        const aside = readdirSync(home).filter((name) => name.startsWith('state.sqlite.damaged-'));
        expect(aside).toHaveLength(3);
        using db = new DatabaseSync(storeFiles(home).state, { readOnly: true });
        expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      },
    );
  });
});
