import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPattern } from './pattern.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const unlimited = (): boolean => true;

describe('a pattern', () => {
  it('means the same as in JavaScript', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      String.raw`\d`,
      String.raw`\w`,
      String.raw`\b`,
      '^',
      '$',
      'é',
      '😀',
      String.raw`\u{1F600}`,
      String.raw`\p{L}`,
      String.raw`\.`,
      '[a-c😀]',
      String.raw`\x61`,
      String.raw`[\]b]`,
    );
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.array(tie('expression'), { maxLength: 3 }).map((parts) => parts.join('')),
        fc
          .tuple(tie('expression'), tie('expression'), fc.constantFrom('(', '(?:', '(?<n>'))
          .map(([left, right, open]) => `${open}${left}|${right})`),
        fc
          .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{1,}', '{0,2}', '{1,3}?'))
          .map(([part, repeat]) => `(?:${part})${repeat}`),
      ),
    }));
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '1', '.', ' ', 'é', '😀', '\n'),
      maxLength: 8,
    });
    let matched = 0;
    fc.assert(
      fc.property(expression, text, (source, given) => {
        fc.pre(isExpression(source));
        const expected = new RegExp(source, 'u').test(given);
        if (expected) matched++;
        expect(createPattern(source)?.(given, unlimited)).toBe(expected);
      }),
      { numRuns: atDepth(300, 3_000) },
    );
    expect(matched).toBeGreaterThan(atDepth(30, 300));
  });

  it.each([
    [String.raw`^[\w\-]+\-$`, 'a-', true],
    [String.raw`^\-$`, '-', true],
    ['a{,2}', 'a{,2}', true],
    ['^.$', '😀', true],
    ['', '', true],
    ['x', '', false],
  ])('%s on %j: %j', (source, text, isMatched) =>
    expect(createPattern(source)!(text, unlimited)).toBe(isMatched),
  );

  it.each([
    '(?=a)',
    '(?<!a)b',
    String.raw`(a)\1`,
    String.raw`(?<n>a)\k<n>`,
    '(?i:a)',
    '(',
    'a**',
    '(a{100}){100}',
    'a{5000}',
    'x'.repeat(3_000),
  ])('is undefined if it cannot be matched in linear time: %.20s', (source) =>
    expect(createPattern(source)).toBeUndefined(),
  );

  it.each(['^(a+)+$', '(a|a)*b', '(.*)(.*)(.*)(.*)x', `${'a?'.repeat(100)}${'a'.repeat(100)}b`, '(a*)*b'])(
    'takes linear time: %.20s',
    (source) => {
      let steps = 0;
      const count = (spent: number): boolean => {
        steps += spent;
        return true;
      };
      expect(createPattern(source)!(`${'a'.repeat(10_000)}!`, count)).toBe(false);
      expect(steps).toBeLessThan(500_000);
    },
  );

  it('accepts the text when its budget is used up', () => {
    let left = 10;
    expect(createPattern('^(a+)+$')!(`${'a'.repeat(10_000)}!`, (spent) => (left -= spent) > 0)).toBe(true);
  });
});

function isExpression(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode;
  } catch {
    return false;
  }
}
