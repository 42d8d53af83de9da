import { describe, expect, it } from 'vitest';
import { isLogLevel, isWanted, LOG_LEVELS } from './log-level.ts';

describe('isLogLevel', () => {
  it.each(LOG_LEVELS)('%s is one', (level) => {
    expect(isLogLevel(level)).toBe(true);
  });

  it.each(['', 'DEBUG', 'warn', 'fatal', 7, null, undefined, {}, ['debug']])('%j is none', (value) => {
    expect(isLogLevel(value)).toBe(false);
  });
});

it('what is as severe as what is wanted, or more, is wanted', () => {
  for (const [wantedIndex, wanted] of LOG_LEVELS.entries())
    for (const [index, level] of LOG_LEVELS.entries())
      expect(isWanted(level, wanted)).toBe(index >= wantedIndex);
});
