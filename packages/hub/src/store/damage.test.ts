import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_OFFER, toRawOffer } from '../core/catalog/offer.ts';
import type { Store } from '../core/ports.ts';
import { moveAside } from './damage.ts';
import { openStore } from './sqlite.ts';

const clock = { now: () => Date.UTC(2026, 9, 1, 12, 3, 11, 5), elapsed: () => 0 };
const SUFFIX = '.damaged-2026-10-01T12-03-11-005Z';
const PAGE = 4_096;
const EMPTY = toRawOffer(EMPTY_OFFER);

describe('a damaged file', () => {
  let folder: string;
  let path: string;
  let damaged: string[];

  const open = (): Store => openStore(path, clock, { onDamaged: (movedTo) => damaged.push(movedTo) });

  /** A file of many pages; returns the first page of the named table. */
  function fill(table: string): number {
    const store = open();
    const tools = Array.from({ length: 200 }, () => 'x'.repeat(100));
    for (let index = 0; index < 5; index += 1) {
      store.saveCatalog({ server: `s${index}`, origin: '', offer: { ...EMPTY, tools } });
    }
    store.close();
    const db = new DatabaseSync(path);
    const row = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
    db.close();
    return Number(row?.['rootpage']);
  }

  function scribble(page: number): void {
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(PAGE, 0x5a), 0, PAGE, (page - 1) * PAGE);
    closeSync(file);
  }

  function expectMadeAnew(): void {
    const store = open();
    expect(damaged).toEqual([path + SUFFIX]);
    expect(store.loadCatalogs()).toEqual([]);
    store.saveCatalog({ server: 'new', origin: '', offer: EMPTY });
    store.close();
    const again = open();
    expect(again.loadCatalogs()).toHaveLength(1);
    again.close();
    expect(damaged).toHaveLength(1);
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-damage-'));
    path = join(folder, 'state.sqlite');
    damaged = [];
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('that is no database is moved aside and made anew', () => {
    writeFileSync(path, 'this is not a database, and long enough to be sure of it'.repeat(50));
    expectMadeAnew();
    expect(readFileSync(path + SUFFIX, 'latin1')).toMatch(/^this is not/);
  });

  it('takes its log along, so that it is not replayed into the new file', () => {
    for (const end of ['', '-wal', '-shm']) writeFileSync(path + end, end);
    expect(moveAside(path, clock.now())).toBe(path + SUFFIX);
    expect(readdirSync(folder).toSorted()).toEqual([`state.sqlite${SUFFIX}`, `state.sqlite${SUFFIX}-wal`]);
  });

  it.each(['catalogs', 'credentials', 'app_tool_lists', 'app_sessions', 'calls'])(
    'is noticed in the table %s',
    (table) => {
      scribble(fill(table));
      expectMadeAnew();
    },
  );

  it('is noticed when its end is missing', () => {
    fill('catalogs');
    truncateSync(path, 5 * PAGE);
    expectMadeAnew();
  });

  it('is not what an empty file is', () => {
    writeFileSync(path, '');
    open().close();
    expect(damaged).toEqual([]);
  });
});
