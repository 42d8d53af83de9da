import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastStart } from './merge-text.ts';

/** Line by line. */
function spelledOut(text: string, part: string): number | undefined {
  for (let at = text.length; at >= 0; at--)
    if ((at === 0 || text[at - 1] === '\n') && text.startsWith(part, at)) return at;
  return undefined;
}

const few = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', '\n'), { minLength: 1, maxLength }).map((chars) => chars.join(''));

describe('the last line that begins with a part', () => {
  it.each([0, Infinity])('is found by both ways: %d', (most) => {
    fc.assert(
      fc.property(few(60), few(6), (text, part) => {
        expect(lastStart(text, part, most)).toBe(spelledOut(text, part));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is found in a moment among very many lines alike', () => {
    const lines = 'a\n'.repeat(250_000);
    expect(lastStart(lines, `${lines.slice(0, 250_000)}b`)).toBeUndefined();
    expect(lastStart(`${lines}b`, `${lines.slice(0, 250_000)}b`)).toBe(250_000);
    for (let each = 0; each < 100; each++) expect(lastStart(lines, `part ${each}`)).toBeUndefined();
  });
});
