import { describe, expect, it } from 'vitest';
import { isLogLevel, isWanted, LOG_LEVELS } from './log-level.ts';

describe('isLogLevel', () => {
  it.each(LOG_LEVELS)('accepts %s', (level) => {
    expect(isLogLevel(level)).toBe(true);
  });

  it.each(['', 'DEBUG', 'warn', 'fatal', 7, null, undefined, {}, ['debug']])('rejects %j', (value) => {
    expect(isLogLevel(value)).toBe(false);
  });
});

it('a level is wanted if it is at least as severe as the wanted one', () => {
  for (const [wantedIndex, wanted] of LOG_LEVELS.entries())
    for (const [index, level] of LOG_LEVELS.entries())
      expect(isWanted(level, wanted)).toBe(index >= wantedIndex);
});
