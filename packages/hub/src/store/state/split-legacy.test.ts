import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { overwritePage, pagesOf, rowsIn } from '../../../../../test/kit/filled-store.ts';
import { openTestStore } from '../../../../../test/kit/store.ts';
import { openDatabase } from '../rows/database.ts';
import { LEGACY_SCHEMA } from '../schema.ts';
import { digestOfTools } from './state-rows.ts';

const clock = { now: () => 1_790_000_000_000, elapsed: () => 0 };
const TOOLS = [
  {
    name: 't',
    path: undefined,
    title: undefined,
    description: undefined,
    inputSchema: '{}',
    outputSchema: undefined,
    annotations: undefined,
  },
];
const PINS = 1_500;

let folder: string;

/** The folder as the last release left it. `openDatabase` creates it in the same way. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-legacy-'));
  const db = openDatabase(join(folder, 'state.sqlite'), {
    ...LEGACY_SCHEMA,
    pragmas: 'PRAGMA auto_vacuum = INCREMENTAL;',
  });
  db.exec(`INSERT INTO catalogs VALUES ('s', 'o', x'7b7d');
           INSERT INTO credentials VALUES ('c1', 'laptop', 'ab', '{"readOnly":true}', 1);
           INSERT INTO approvals VALUES ('a1', 'd', 'c', 's', 't', '{}', 'open', 1, NULL);
           INSERT INTO calls (id, at, caller, surface, server, tool, outcome, duration_ms)
             VALUES (7, ${clock.now()}, 'c', 'mcp-http', 's', 'x', 'ok', 1.5);`);
  const pin = db.prepare(`INSERT INTO pins VALUES ('s', 'o', ?, 'd', x'e4', 1)`);
  for (let index = 0; index < PINS; index += 1) pin.run(`tool-${index}`);
  const list = digestOfTools(TOOLS);
  db.prepare('INSERT INTO app_tool_lists VALUES (?, ?)').run(list, Buffer.from(JSON.stringify(TOOLS)));
  db.prepare(
    `INSERT INTO app_sessions (id, app, tools, epoch, says_hello) VALUES ('s1', 'notes', ?, 3, 1)`,
  ).run(list);
  db.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const callIds = (): unknown[] => rowsIn(join(folder, 'calls.sqlite'), 'SELECT id FROM calls');

it('splits a folder with one file into three files without loss', () => {
  const store = openTestStore(folder, clock);
  expect(store.incidents()).toEqual([]);
  expect(store.loadPins()).toHaveLength(PINS);
  expect(store.loadPins()[0]).toMatchObject({ server: 's', definition: '\u00e4' });
  expect(store.loadPinDoubts()).toEqual([]);
  expect(store.loadCredentials()).toMatchObject([{ name: 'laptop', scopes: { readOnly: true } }]);
  expect(store.loadApprovals()).toMatchObject([{ id: 'a1', state: 'open' }]);
  expect(store.appSessions.load()).toMatchObject([{ id: 's1', epoch: 3, tools: TOOLS }]);
  store.close();
  expect(readdirSync(folder).toSorted()).toEqual([
    'cache.sqlite',
    'calls.sqlite',
    'state.replica.json',
    'state.sqlite',
  ]);
  expect(callIds()).toEqual([{ id: 7 }]);
  // Neither file keeps the rows of the other.
  const tables = (name: string): unknown[] =>
    rowsIn(join(folder, name), `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`);
  expect(tables('calls.sqlite')).toEqual([{ name: 'calls' }]);
  expect(tables('state.sqlite')).not.toContainEqual({ name: 'calls' });
  const again = openTestStore(folder, clock);
  expect(again.incidents()).toEqual([]);
  expect(again.loadPins()).toHaveLength(PINS);
  again.close();
});

it('reads damaged pins of such a folder from both ends, and holds the rest', () => {
  const path = join(folder, 'state.sqlite');
  const leaves = pagesOf(path).filter(({ table, isMiddle }) => table === 'pins' && isMiddle);
  overwritePage(path, leaves[1]!.page, 'random');
  const store = openTestStore(folder, clock);
  expect(store.incidents()[0]).toMatchObject({ part: 'pins' });
  expect(store.loadPinDoubts()).toEqual([{ server: undefined, origin: undefined }]);
  const { length } = store.loadPins();
  expect(length).toBeLessThan(PINS);
  expect(length).toBeGreaterThan(PINS / 2);
  expect(store.loadCredentials()).toHaveLength(1);
  expect(store.appSessions.load()).toHaveLength(1);
  store.close();
});

it('finishes the work of a hub that died between the two renames', () => {
  const store = openTestStore(folder, clock);
  store.close();
  const db = new DatabaseSync(join(folder, 'state.sqlite'));
  db.exec(`VACUUM INTO '${join(folder, 'state.sqlite.new')}'`);
  db.close();
  rmSync(join(folder, 'state.sqlite'));
  const again = openTestStore(folder, clock);
  expect(again.incidents()).toEqual([]);
  expect(again.loadPins()).toHaveLength(PINS);
  again.close();
});
