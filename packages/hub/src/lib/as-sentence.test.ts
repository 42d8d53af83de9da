import { describe, expect, it } from 'vitest';
import { asSentence } from './as-sentence.ts';

describe('what somebody said', () => {
  it.each([
    ['gateway starting', 'gateway starting.'],
    ['It was lost.', 'It was lost.'],
    [' Really? ', 'Really?'],
    ['wait…', 'wait…'],
    ['wait...', 'wait...'],
    ["it's (see below.)", "it's (see below.)"],
    ["mkdir '/x'", "mkdir '/x'."],
  ])('%j ends as a sentence does: %j', (said, sentence) => {
    expect(asSentence(said)).toBe(sentence);
  });
});
