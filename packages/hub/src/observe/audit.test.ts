import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallRecord, Log, LogFields, StoredCall } from '../core/ports.ts';
import { createAudit, type Audit } from './audit.ts';

const call = (at: number, changes: Partial<CallRecord> = {}): CallRecord => ({
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
  ...changes,
});

describe('createAudit', () => {
  let batches: (readonly StoredCall[])[];
  let failures: number;
  let lines: [string, LogFields | undefined][];
  let audit: Audit;
  /** An audit that keeps no arguments. */
  let bare: Audit;

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
    const append = (rows: readonly StoredCall[]): void => {
      if (failures > 0) {
        failures -= 1;
        throw new Error('disk full');
      }
      batches.push(rows);
    };
    audit = createAudit({ append, log, arguments: { redact: (raw) => `<${raw}>`, maxBytes: 64 } });
    bare = createAudit({ append, log });
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

  it('drops rows beyond 20,000, and logs it once per burst', () => {
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

  it('drops a batch after two failures, and logs it once until a write succeeds', () => {
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

  it('writes the rest on close, with one retry, and counts later rows as dropped', () => {
    failures = 1;
    add(501);
    audit.close();
    expect(batches.flat()).toHaveLength(501);
    add(2);
    expect(audit.dropped).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('redacts arguments only when they are written', () => {
    audit.callEnded(call(1, { arguments: '{"a":1}' }));
    audit.callEnded(call(2));
    audit.flush();
    expect(batches.flat().map((row) => row.arguments)).toEqual(['<{"a":1}>', undefined]);
  });

  it('keeps no arguments if none should be kept', () => {
    bare.callEnded(call(1, { arguments: '{"a":1}' }));
    bare.flush();
    expect(batches.flat()[0]).toEqual({ ...call(1), argumentBytes: 7 });
  });

  it('keeps the session and the sizes', () => {
    audit.callEnded(call(1, { session: 's-1', arguments: '{"ö":1}', answerBytes: 0 }));
    audit.callEnded(call(2, { argumentBytes: 120 }));
    audit.callEnded(call(3));
    audit.flush();
    const sizes = batches
      .flat()
      .map(({ session, argumentBytes, answerBytes }) => [session, argumentBytes, answerBytes]);
    expect(sizes).toEqual([
      ['s-1', 7, 0],
      [undefined, 120, undefined],
      [undefined, undefined, undefined],
    ]);
  });

  it('keeps only the beginning of long arguments', () => {
    audit.callEnded(call(1, { arguments: `{"a":1,"b":"${'x'.repeat(1_000_000)}"}` }));
    audit.flush();
    expect(batches.flat()[0]?.arguments).toBe('<{"a":1}> … 1000014 bytes in all');
  });

  it('ends a batch that would take long to redact', () => {
    const args = `{"a":"${'x'.repeat(80)}"}`;
    for (let index = 0; index < 1_100; index += 1) audit.callEnded(call(index, { arguments: args }));
    vi.advanceTimersByTime(0);
    expect(sizes()).toEqual([500]);
    const wide = createAudit({
      append: (rows) => batches.push(rows),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      arguments: { redact: (raw) => raw, maxBytes: 16_384 },
    });
    batches = [];
    const large = `{"a":"${'x'.repeat(65_000)}"}`;
    for (let index = 0; index < 9; index += 1) wide.callEnded(call(index, { arguments: large }));
    wide.flush();
    expect(sizes()).toEqual([2, 2, 2, 2, 1]);
  });

  it('keeps the rows without arguments if too much is queued', () => {
    const wide = createAudit({
      append: (rows) => batches.push(rows),
      log: { debug() {}, info() {}, warn() {}, error() {} },
      arguments: { redact: (raw) => String(raw.length), maxBytes: 1_000_000 },
    });
    const large = `{"a":"${'x'.repeat(3_999_990)}"}`;
    for (let index = 0; index < 6; index += 1) wide.callEnded(call(index, { arguments: large }));
    wide.flush();
    const kept = batches.flat().map((row) => row.arguments);
    expect(kept).toEqual([
      ...Array<string>(4).fill(String(large.length)),
      ...Array<string>(2).fill(`[${large.length} bytes, too much queued]`),
    ]);
    wide.callEnded(call(7, { arguments: large }));
    wide.flush();
    expect(batches.flat().at(-1)?.arguments).toBe(String(large.length));
  });

  it('cuts names as long as a message', () => {
    audit.callEnded(call(1, { method: 'resources/read', tool: `file:///${'é'.repeat(1_000)}` }));
    audit.flush();
    expect(batches.flat()[0]?.tool).toBe(`file:///${'é'.repeat(504)}`);
  });

  it('counts written rows', () => {
    add(3);
    expect([audit.waiting, audit.written]).toEqual([3, 0]);
    audit.flush();
    expect([audit.waiting, audit.written]).toEqual([0, 3]);
  });
});
