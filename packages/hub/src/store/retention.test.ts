import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Store, StoredCall } from '../core/ports.ts';
import type { StoreOptions } from './sqlite.ts';
import { openTestStore } from '../../../../test/kit/store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = 1_790_000_000_000;
/** Enough for every slice of a round. */
const ROUND_MS = 60_000;

const calls = (count: number, at: number): StoredCall[] =>
  Array.from({ length: count }, (_, index) => ({
    at,
    caller: 'claude-code',
    surface: 'mcp-http',
    server: 'github',
    method: 'tools/call',
    tool: `tool-${index}`,
    outcome: 'ok',
    code: undefined,
    durationMs: 1,
    arguments: undefined,
  }));

describe('retention', () => {
  let folder: string;
  let path: string;
  let time: number;
  let store: Store | undefined;

  const clock = { now: () => START + time, elapsed: () => time };
  const open = (options: Partial<StoreOptions> = {}): Store =>
    (store = openTestStore(folder, clock, options));
  const count = (): number => {
    const db = new DatabaseSync(path, { readOnly: true });
    const row = db.prepare('SELECT count(*) AS n FROM calls').get();
    db.close();
    return Number(row?.['n']);
  };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    folder = mkdtempSync(join(tmpdir(), 'pincer-retention-'));
    path = join(folder, 'calls.sqlite');
    time = 0;
  });
  afterEach(() => {
    store?.close();
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });

  it('deletes calls older than 30 days when the store opens, slice by slice', () => {
    open().appendCalls([...calls(2_000, START), ...calls(10, START + 2 * DAY)]);
    store?.close();
    time = 31 * DAY;
    open();
    expect(count()).toBe(1_510);
    vi.advanceTimersByTime(ROUND_MS);
    expect(count()).toBe(10);
  });

  it('deletes by age again after an hour of appends, not before', () => {
    open({ retention: { maxAgeMs: HOUR / 2 } }).appendCalls(calls(5, START));
    time = HOUR - 1;
    store?.appendCalls(calls(1, clock.now()));
    expect(count()).toBe(6);
    time = HOUR;
    store?.appendCalls(calls(1, clock.now()));
    expect(count()).toBe(2);
  });

  it('is not blocked by rows from a clock that was ahead', () => {
    open().appendCalls([...calls(3, START + 1_000 * DAY), ...calls(20, START)]);
    store?.close();
    time = 31 * DAY;
    open();
    expect(count()).toBe(3);
  });

  it('deletes the oldest calls beyond the size and frees the space', () => {
    const maxBytes = 1_000_000;
    open({ retention: { maxBytes } });
    for (let batch = 0; batch < 39; batch += 1) store?.appendCalls(calls(500, START));
    expect(count()).toBe(19_500);
    store?.appendCalls(calls(500, START + 1));
    vi.advanceTimersByTime(ROUND_MS);
    const kept = count();
    expect(kept).toBeGreaterThan(5_000);
    expect(kept).toBeLessThan(20_000);
    store?.close();
    expect(statSync(path).size).toBeLessThan(maxBytes + 5_000_000);
    const db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare('SELECT max(at) AS at FROM calls').get()).toEqual({ at: START + 1 });
    db.close();
  });

  it('ends if only other tables are too large', () => {
    open({ retention: { maxBytes: 1 } }).appendCalls(calls(600, START));
    time = HOUR;
    store?.appendCalls(calls(1, START));
    vi.advanceTimersByTime(ROUND_MS);
    expect(count()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reports a failure and keeps accepting calls', () => {
    const failures: unknown[] = [];
    open({ retention: { maxAgeMs: 1 }, onPruneFailed: (error) => failures.push(error) });
    const other = new DatabaseSync(path);
    other.exec(`CREATE TRIGGER stop BEFORE DELETE ON calls BEGIN SELECT RAISE(ABORT, 'no'); END`);
    other.close();
    time = HOUR;
    store?.appendCalls(calls(1, START));
    store?.appendCalls(calls(1, START));
    expect(failures).toHaveLength(1);
    expect(count()).toBe(2);
  });

  it('stops with the store', () => {
    open({ retention: { maxAgeMs: 1 } }).appendCalls(calls(2_000, START));
    time = HOUR;
    store?.appendCalls(calls(1, START));
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    store?.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
