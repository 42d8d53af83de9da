import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallRecord } from '../core/ports.ts';
import { storeFiles } from './files.ts';
import { openCallLog, type CallQuery } from './call-log.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-log-'));
  path = join(folder, 'calls.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const clock = { now: () => 5_000, elapsed: () => 0 };
const call = (tool: string, more: Partial<CallRecord> = {}): CallRecord => ({
  at: 1_000,
  caller: 'local',
  surface: 'http',
  server: 'a',
  method: 'tools/call',
  tool,
  outcome: 'ok',
  code: undefined,
  durationMs: 1.5,
  arguments: undefined,
  ...more,
});

const tools = (query: Partial<CallQuery>): string[] => {
  using log = openCallLog(storeFiles(folder))!;
  return log.read({ limit: 10, ...query }).map(({ tool }) => tool);
};

describe('openCallLog', () => {
  it('reads while a hub writes, newest last', () => {
    const store = openTestStore(folder, clock);
    store.appendCalls([
      call('one'),
      call('two', { server: 'b', caller: 'laptop', at: 2_000, method: 'prompts/get' }),
      call('three', { outcome: 'not_executed', code: 'POLICY_DENIED', at: 3_000, session: 's-1' }),
    ]);
    expect(tools({})).toEqual(['one', 'two', 'three']);
    expect(tools({ limit: 2 })).toEqual(['two', 'three']);
    expect(tools({ server: 'a' })).toEqual(['one', 'three']);
    expect(tools({ caller: 'laptop' })).toEqual(['two']);
    expect(tools({ method: 'prompts/get' })).toEqual(['two']);
    expect(tools({ session: 's-1' })).toEqual(['three']);
    expect(tools({ outcome: 'not_executed', server: 'a' })).toEqual(['three']);
    expect(tools({ since: 2_000 })).toEqual(['two', 'three']);
    expect(tools({ after: 1, limit: 1 })).toEqual(['two']);
    using log = openCallLog(storeFiles(folder))!;
    expect(log.read({ limit: 1 })).toEqual([
      {
        id: 3,
        at: 3_000,
        caller: 'local',
        surface: 'http',
        server: 'a',
        method: 'tools/call',
        tool: 'three',
        outcome: 'not_executed',
        code: 'POLICY_DENIED',
        durationMs: 1.5,
        arguments: null,
        session: 's-1',
        argumentBytes: null,
        answerBytes: null,
      },
    ]);
    store.appendCalls([call('four', { argumentBytes: 7, answerBytes: 0 })]);
    expect(log.read({ after: 3, limit: 10 })).toMatchObject([
      { tool: 'four', session: null, argumentBytes: 7, answerBytes: 0 },
    ]);
    store.close();
    expect(tools({})).toHaveLength(4);
  });

  it('reads a file of an older version', () => {
    const db = new DatabaseSync(path);
    db.exec(`CREATE TABLE calls (id INTEGER PRIMARY KEY, at INTEGER, caller TEXT, surface TEXT, server TEXT, tool TEXT,
      outcome TEXT, code TEXT, duration_ms REAL);
      INSERT INTO calls VALUES (1, 1, 'c', 'http', 's', 't', 'ok', NULL, 2)`);
    db.close();
    using log = openCallLog(storeFiles(folder))!;
    expect(log.read({ limit: 1 })).toMatchObject([{ method: 'tools/call', arguments: null, durationMs: 2 }]);
    expect(log.read({ limit: 1 })).toMatchObject([{ session: null, argumentBytes: null, answerBytes: null }]);
    expect(log.read({ limit: 1, method: 'tools/call' })).toHaveLength(1);
    expect(log.read({ limit: 1, session: 's-1' })).toEqual([]);
  });

  it('returns undefined without a record, and throws for an unreadable file', () => {
    expect(openCallLog(storeFiles(folder))).toBeUndefined();
    writeFileSync(path, 'no database, and long enough to be sure of it'.repeat(50));
    expect(() => tools({})).toThrow();
  });
});
