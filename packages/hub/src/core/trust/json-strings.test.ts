import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJsonText } from '../../../../../test/kit/any-json-text.ts';
import { rewriteStrings } from './clean-definition.ts';
import { toByteText } from '../wire/byte-text.ts';

/** The visited strings in order, each with the path that leads to it. */
function visited(json: string): string[] {
  const seen: string[] = [];
  rewriteStrings<string>(json, {
    root: '',
    enter: (inside, key) => `${inside}/${key ?? '*'}`,
    rewrite(inside, key, token) {
      seen.push(`${inside}/${key ?? '*'} ${token}`);
      return token;
    },
  });
  return seen;
}

describe('rewriteStrings', () => {
  it('passes the position of each string', () => {
    expect(
      visited('{"a":"1","b":{},"c":[{"d":"2"},"3",[ "4" ],{"e":{"f":"5"}}, "6"],"g\\u0068":"7"}'),
    ).toEqual([
      '/*/a "1"',
      '/*/c/*/d "2"',
      '/*/c/* "3"',
      '/*/c/*/* "4"',
      '/*/c/*/e/f "5"',
      '/*/c/* "6"',
      '/*/gh "7"',
    ]);
  });

  it('ignores punctuation inside strings', () => {
    expect(visited(String.raw`{"a":"\"},{[","b":"\\","c":["]"]}`)).toEqual([
      String.raw`/*/a "\"},{["`,
      String.raw`/*/b "\\"`,
      '/*/c/* "]"',
    ]);
  });

  it('returns the same text without changes, and keeps every other byte', () => {
    fc.assert(
      fc.property(anyJsonText.map(toByteText), (json) => {
        const same = { root: 0, enter: () => 0, rewrite: (_: number, __: unknown, token: string) => token };
        expect(rewriteStrings(json, same)).toBe(json);
        const emptied = rewriteStrings(json, { ...same, rewrite: () => '""' });
        const tokens = /"(?:[^"\\]|\\.)*"(?<after>\s*:)?/g;
        expect(emptied).toBe(
          json.replaceAll(tokens, (token, after: string | undefined) => (after === undefined ? '""' : token)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('goes as deep as JSON.parse', () => {
    const deep = `${'['.repeat(200_000)}"x"${']'.repeat(200_000)}`;
    const changed = rewriteStrings(deep, { root: 0, enter: () => 0, rewrite: () => '"y"' });
    expect(changed).toBe(deep.replace('x', 'y'));
  });
});
