import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoredAppSession, StoredAppTool } from '../core/ports.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

const clock = { now: () => 1_790_000_000_000, elapsed: () => 0 };
const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));

const tool = (name: string, changes: Partial<StoredAppTool> = {}): StoredAppTool => ({
  name,
  path: undefined,
  title: undefined,
  description: undefined,
  inputSchema: '{"type":"object"}',
  outputSchema: undefined,
  annotations: undefined,
  ...changes,
});

const session = (id: string, changes: Partial<StoredAppSession> = {}): StoredAppSession => ({
  id,
  app: 'notes',
  deviceId: undefined,
  deviceName: undefined,
  appVersion: undefined,
  chatId: undefined,
  tools: [tool('a'), tool('b')],
  credential: undefined,
  epoch: 0,
  saysHello: false,
  ...changes,
});

let folder: string;
let path: string;
let dropped: string[];
const opened: Store[] = [];

const open = (): Store => {
  const store = openTestStore(folder, clock, {
    onIncident({ part, message }) {
      if (part === 'app_sessions') dropped.push(/list of tools: (\S+)/.exec(message)?.[1] ?? part);
    },
  });
  opened.push(store);
  return store;
};
const ask = (sql: string): Record<string, unknown>[] => {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};
const lists = (): number => ask('SELECT digest FROM app_tool_lists').length;
const ids = (store: Store): string[] => store.appSessions.load().map(({ id }) => id);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-app-sessions-'));
  path = join(folder, 'state.sqlite');
  dropped = [];
});
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

describe('app sessions', () => {
  it('survive a restart byte for byte, in their order', () => {
    const whole = session('z', {
      deviceId: 'd\u0000',
      deviceName: 'Größe 🙂',
      appVersion: '',
      chatId: 'chat-1',
      tools: [
        tool('x', {
          path: '/x',
          title: 'Ö',
          description: '\ud800 alone, "quoted"\n',
          inputSchema: EVERY_BYTE,
          outputSchema: '',
          annotations: '{"n":99999999999999999999}',
        }),
      ],
      credential: 'digest',
      epoch: 7,
      saysHello: true,
    });
    const { appSessions, close } = open();
    for (const each of [whole, session('b'), session('a', { tools: [] })]) appSessions.save(each);
    close();
    expect(open().appSessions.load()).toEqual([whole, session('b'), session('a', { tools: [] })]);
  });

  it('replace the session with the same id', () => {
    const { appSessions } = open();
    for (const id of ['1', '2']) appSessions.save(session(id));
    const next = session('1', { app: 'other', chatId: 'c', tools: [tool('c')], epoch: 2 });
    appSessions.save(next);
    expect(open().appSessions.load()).toEqual([next, session('2')]);
  });

  it('can be removed, even twice', () => {
    const store = open();
    for (const id of ['1', '2', '3']) store.appSessions.save(session(id));
    for (const id of ['2', '2', 'never']) store.appSessions.remove(id);
    expect(ids(store)).toEqual(['1', '3']);
  });

  it('are unchanged if a save fails', () => {
    const { appSessions } = open();
    appSessions.save(session('1'));
    const broken = { ...session('1', { tools: [tool('c')] }), epoch: Number.NaN };
    expect(() => appSessions.save(broken)).toThrow(/NOT NULL/);
    expect(() => appSessions.save(session('2', { tools: [tool('d')], epoch: Number.NaN }))).toThrow();
    expect(open().appSessions.load()).toEqual([session('1')]);
    expect(lists()).toBe(1);
  });
});

describe('tools', () => {
  it('of many sessions are stored and loaded once', () => {
    const { appSessions } = open();
    for (const id of ['1', '2', '3']) appSessions.save(session(id));
    appSessions.save(session('4', { app: 'other', tools: [tool('a')] }));
    expect(lists()).toBe(2);
    const [one, two] = open().appSessions.load();
    expect(one!.tools).toBe(two!.tools);
  });

  it('are removed with their last session', () => {
    const { appSessions } = open();
    for (const id of ['1', '2', '3']) appSessions.save(session(id));
    appSessions.save(session('1', { tools: [tool('c')] }));
    expect(lists()).toBe(2);
    appSessions.remove('2');
    expect(lists()).toBe(2);
    appSessions.save(session('3', { tools: [tool('c')] }));
    expect(lists()).toBe(1);
    for (const id of ['1', '3']) appSessions.remove(id);
    expect(lists()).toBe(0);
  });

  it('are not written again for a new bridge', () => {
    const { appSessions, close } = open();
    appSessions.save(session('1'));
    close();
    const again = open();
    const [loaded] = again.appSessions.load();
    // These triggers fail any write.
    ask(`CREATE TRIGGER no_lists BEFORE INSERT ON app_tool_lists BEGIN SELECT RAISE(ABORT, 'a list'); END`);
    ask(`CREATE TRIGGER no_sessions BEFORE INSERT ON app_sessions BEGIN SELECT RAISE(ABORT, 'a row'); END`);
    again.appSessions.save({ ...loaded!, credential: 'c', epoch: 1, saysHello: true });
    again.appSessions.save(session('1', { credential: 'c', epoch: 2 }));
    expect(again.appSessions.load()).toEqual([session('1', { credential: 'c', epoch: 2 })]);
    expect(() => again.appSessions.save(session('1', { tools: [tool('c')] }))).toThrow('a list');
  });
});

describe('a session with unreadable tools', () => {
  it.each([
    [
      'are other bytes',
      `UPDATE app_tool_lists SET tools = x'5b5d' WHERE digest = (SELECT tools FROM app_sessions WHERE id = '2')`,
    ],
    [
      'are not JSON',
      `UPDATE app_tool_lists SET tools = x'ff' WHERE digest = (SELECT tools FROM app_sessions WHERE id = '2')`,
    ],
    ['are missing', `UPDATE app_sessions SET tools = 'none' WHERE id = '2'`, 'app_sessions'],
  ])('is dropped once if they %s, and the others stay', (_how, damage, named = '2') => {
    const { appSessions, close } = open();
    for (const id of ['1', '2', '3']) appSessions.save(session(id, { tools: [tool(`t${id}`)] }));
    close();
    const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    db.exec(damage);
    db.close();
    const again = open();
    expect(ids(again)).toEqual(['1', '3']);
    expect(dropped).toEqual([named]);
    expect(ids(open())).toEqual(['1', '3']);
    expect(dropped).toEqual([named]);
    again.appSessions.save(session('2', { tools: [tool('t2')] }));
    expect(ids(open())).toEqual(['1', '3', '2']);
  });
});

describe('a killed process', () => {
  it('leaves every saved session', { timeout: 60_000 }, async () => {
    const at = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);
    const script = `
      import { openTestStore } from ${at('../../../../test/kit/store.ts')};
      const { appSessions } = openTestStore(${JSON.stringify(folder)}, { now: () => 0, elapsed: () => 0 });
      const rest = ${JSON.stringify(session(''))};
      for (let count = 1; ; count += 1) {
        appSessions.save({ ...rest, id: String(count), tools: rest.tools.map((each) => ({ ...each, path: '/' + count })) });
        appSessions.save({ ...rest, id: '1', epoch: count, tools: rest.tools });
        process.stdout.write(count + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout) {
      output += String(chunk);
      if (output.split('\n').length > 50) child.kill('SIGKILL');
    }
    const count = Number(output.split('\n').at(-2));
    expect(count).toBeGreaterThanOrEqual(50);
    const loaded = open().appSessions.load();
    expect(loaded.length).toBeGreaterThanOrEqual(count);
    expect(loaded[0]!.epoch).toBeGreaterThanOrEqual(count);
    expect(dropped).toEqual([]);
    expect(lists()).toBe(loaded.length);
  });
});
