import { describe, expect, it } from 'vitest';
import { inSeconds, retryAfterMs } from './http-headers.ts';

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    [' 120 ', 120_000],
    ['9999999999', 9_999_999_999_000],
    ['Sun, 15 Nov 2026 12:00:07 GMT', 7_000],
    ['Sunday, 15-Nov-26 12:00:07 GMT', 7_000],
    ['Sun, 15 Nov 2026 11:59:59 GMT', 0],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
  ])('%j is %i ms', (value, wanted) => {
    expect(retryAfterMs(value, NOW)).toBe(wanted);
  });

  it.each([
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    '99999999999',
    '2026-11-15',
    'Sun, 99 Foo 12:00:00',
    ['1', '2'],
  ])('ignores %j', (value) => {
    expect(retryAfterMs(value, NOW)).toBeUndefined();
  });
});

it.each([
  [0, 'a second'],
  [999, 'a second'],
  [1_000, 'a second'],
  [1_001, '2 seconds'],
  [60_000, '60 seconds'],
])('shows %i ms as %s', (milliseconds, words) => {
  expect(inSeconds(milliseconds)).toBe(words);
});
