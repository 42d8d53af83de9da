import { describe, expect, it } from 'vitest';
import { wantsColour } from './style.ts';

describe('wantsColour', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ])('%o on a terminal: %s → %s', (env, isTerminal, wanted) => {
    expect(wantsColour(env, isTerminal)).toBe(wanted);
  });
});
