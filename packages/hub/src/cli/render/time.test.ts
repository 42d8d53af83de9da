import { describe, expect, it } from 'vitest';
import { parseSpan, renderSpan, renderTime } from './time.ts';

describe('renderSpan', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [59_999, '59 s'],
    [62_000, '1 min 2 s'],
    [720_000, '12 min'],
    [4_800_000, '1 h 20 min'],
    [90_000_000, '1 d 1 h'],
    [-5, '0 ms'],
  ])('%i ms is %s', (ms, text) => expect(renderSpan(ms)).toBe(text));
});

describe('renderTime', () => {
  const now = new Date(2026, 10, 16, 14, 3, 21).getTime();
  it('leaves out the date for today', () => {
    expect(renderTime(now - 1_000, now)).toBe('14:03:20');
    expect(renderTime(new Date(2026, 10, 5, 1, 2, 3).getTime(), now)).toBe('2026-11-05 01:02:03');
  });
});

describe('parseSpan', () => {
  it('parses durations', () => {
    expect(['90s', '15m', '15 min', '1h', '1.5h', '7d', '10ms'].map(parseSpan)).toEqual([
      90_000,
      900_000,
      undefined,
      3_600_000,
      5_400_000,
      604_800_000,
      10,
    ]);
    expect(['', 'h', '1', '-1h', '1y'].map(parseSpan)).toEqual(Array.from({ length: 5 }));
  });
});
