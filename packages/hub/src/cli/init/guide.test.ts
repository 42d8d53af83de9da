import { describe, expect, it } from 'vitest';
import { parseChoice } from './guide.ts';

describe('parseChoice', () => {
  it.each([
    ['', [0, 1, 2]],
    ['y', [0, 1, 2]],
    ['YES', [0, 1, 2]],
    ['all', [0, 1, 2]],
    ['n', []],
    ['no', []],
    ['skip', []],
    ['1', [0]],
    ['3 1', [0, 2]],
    [' 1, 2 ', [0, 1]],
    ['2-3', [1, 2]],
    ['1 1-2', [0, 1]],
  ])('%j', (answer, chosen) => expect(parseChoice(answer, 3)).toEqual(chosen));

  it.each(['0', '4', 'maybe', '1 x', '3-1', '-1', '1.5', '1-9'])('returns "unclear" for %j', (answer) => {
    expect(parseChoice(answer, 3)).toBe('unclear');
  });
});
