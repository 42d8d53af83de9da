import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallRecord, Log, LogFields } from '../core/ports.ts';
import { createAudit, type Audit } from './audit.ts';

const call = (at: number): CallRecord => ({
  at,
  caller: 'c',
  surface: 's',
  server: 'x',
  method: 'tools/call',
  tool: 't',
  outcome: 'ok',
  code: undefined,
  durationMs: 1,
  arguments: undefined,
});

describe('createAudit', () => {
  let batches: (readonly CallRecord[])[];
  let failures: number;
  let lines: [string, LogFields | undefined][];
  let audit: Audit;

  const add = (count: number): void => {
    for (let index = 0; index < count; index += 1) audit.callEnded(call(index));
  };
  const sizes = (): number[] => batches.map((batch) => batch.length);

  beforeEach(() => {
    vi.useFakeTimers();
    batches = [];
    failures = 0;
    lines = [];
    const note = (message: string, fields?: LogFields): number => lines.push([message, fields]);
    const log: Log = { debug: note, info: note, warn: note, error: note };
    const append = (rows: readonly CallRecord[]): void => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('disk full');
      }
      batches.push(rows);
    };
    audit = createAudit({ append, log });
  });
  afterEach(() => vi.useRealTimers());

  it('writes 100 ms after the first row', () => {
    add(3);
    vi.advanceTimersByTime(99);
    expect(sizes()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sizes()).toEqual([3]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('writes at 500 rows without waiting, but not inside the call', () => {
    add(500);
    expect(sizes()).toEqual([]);
    vi.advanceTimersByTime(0);
    expect(sizes()).toEqual([500]);
  });

  it('keeps the order over several batches', () => {
    add(1_200);
    vi.advanceTimersByTime(200);
    expect(sizes()).toEqual([500, 500, 200]);
    expect(batches.flat().map(({ at }) => at)).toEqual(Array.from({ length: 1_200 }, (_, index) => index));
  });

  it('counts rows beyond 20,000 as dropped and says so once per burst', () => {
    add(20_010);
    expect(audit.dropped).toBe(10);
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(batches.flat()).toHaveLength(20_000);
    add(20_001);
    expect(audit.dropped).toBe(11);
    expect(lines).toHaveLength(2);
  });

  it('retries a failed batch once', () => {
    failures = 1;
    add(2);
    vi.advanceTimersByTime(100);
    add(1);
    expect(sizes()).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(sizes()).toEqual([2]);
    vi.advanceTimersByTime(100);
    expect(sizes()).toEqual([2, 1]);
    expect([audit.dropped, lines]).toEqual([0, []]);
  });

  it('drops a batch that failed twice and says so once until a write succeeds', () => {
    failures = 4;
    add(2);
    vi.advanceTimersByTime(200);
    add(3);
    vi.advanceTimersByTime(200);
    expect(audit.dropped).toBe(5);
    expect(lines).toHaveLength(1);
    add(1);
    vi.advanceTimersByTime(100);
    expect(sizes()).toEqual([1]);
    failures = 2;
    add(1);
    vi.advanceTimersByTime(200);
    expect(audit.dropped).toBe(6);
    expect(lines).toHaveLength(2);
  });

  it('stays bounded while every write fails', () => {
    failures = Infinity;
    add(30_000);
    vi.advanceTimersByTime(60_000);
    expect(audit.dropped).toBe(30_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('writes all at once on flush', () => {
    add(501);
    audit.flush();
    expect(sizes()).toEqual([500, 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('writes the rest on close, with one retry, and counts what comes later', () => {
    failures = 1;
    add(501);
    audit.close();
    expect(batches.flat()).toHaveLength(501);
    add(2);
    expect(audit.dropped).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
