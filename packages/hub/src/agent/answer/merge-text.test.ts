import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastStart, mergeText } from './aggregate.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

describe('mergeText', () => {
  it.each([
    ['all parts', ['a', 'b'], 'a\n\nb', 'a\n\nb'],
    ['nothing', ['a', 'b'], '', 'a\n\nb'],
    ['text without parts', [], ' a ', 'a'],
    ['the last message alone', ['a', 'b'], 'b', 'a\n\nb'],
    ['all but one in the middle', ['a', 'b', 'c'], 'a\n\nc', 'a\n\nb\n\nc'],
    ['the same message twice', ['a', 'a'], 'a\n\na', 'a\n\na'],
    ['a repeated message only once', ['a', 'a'], 'a', 'a\n\na'],
    ['a message that ends like another', ['ok', 'fine\n\nok'], 'fine\n\nok', 'ok\n\nfine\n\nok'],
    ['words of a message, not the message', ['ok', 'b'], 'looks ok\n\nb', 'looks ok\n\nok\n\nb'],
    ['longer messages than the parts', ['a', 'b'], 'a c\nd\n\nb e', 'a c\nd\n\nb e'],
    ['a message in the middle of lines', ['a'], 'a\na b', 'a\na b'],
    ['only the end', ['one two', 'three'], 'two\n\nthree', 'one two\n\nthree'],
    ['only the end of the last', ['a\nb\na'], 'b\na', 'a\nb\na'],
    ['nothing of white space', [' \n', '  code', '\n'], '', '  code'],
  ])('merges parts with a text that has %s', (_, parts, whole, merged) => {
    expect(mergeText(parts, whole)).toBe(merged);
  });

  it('is fast for very many equal lines', () => {
    const lines = 'a\n'.repeat(250_000);
    const merged = mergeText([`${lines}b`, 'x'], `${lines}c`);
    expect(merged.length).toBeGreaterThan(lines.length);
  });
});

/** Line by line. */
function spelledOut(text: string, part: string): number | undefined {
  for (let at = text.length; at >= 0; at--)
    if ((at === 0 || text[at - 1] === '\n') && text.startsWith(part, at)) return at;
  return undefined;
}

const few = (maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', '\n'), { minLength: 1, maxLength }).map((chars) => chars.join(''));

describe('lastStart', () => {
  it.each([0, Infinity])('finds the same place in both ways: %d', (most) => {
    fc.assert(
      fc.property(few(60), few(6), (text, part) => {
        expect(lastStart(text, part, most)).toBe(spelledOut(text, part));
      }),
      { numRuns: atDepth(200, 2_000) },
    );
  });

  it('is fast among very many equal lines', () => {
    const lines = 'a\n'.repeat(250_000);
    expect(lastStart(lines, `${lines.slice(0, 250_000)}b`)).toBeUndefined();
    expect(lastStart(`${lines}b`, `${lines.slice(0, 250_000)}b`)).toBe(250_000);
    for (let each = 0; each < 100; each++) expect(lastStart(lines, `part ${each}`)).toBeUndefined();
  });
});
