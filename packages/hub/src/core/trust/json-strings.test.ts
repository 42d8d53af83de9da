import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJsonText } from '../../../../../test/kit/any-json-text.ts';
import { rewriteStrings } from './clean-definition.ts';
import { toByteText } from '../wire/byte-text.ts';

/** What is asked about, in order: the keys that lead to a string, and the string. */
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
  it('knows where each string stands', () => {
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

  it('takes no punctuation inside of strings for structure', () => {
    expect(visited(String.raw`{"a":"\"},{[","b":"\\","c":["]"]}`)).toEqual([
      String.raw`/*/a "\"},{["`,
      String.raw`/*/b "\\"`,
      '/*/c/* "]"',
    ]);
  });

  it('gives back the same text where nothing is rewritten, and else every other byte', () => {
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

  it('goes as deep as JSON.parse does', () => {
    const deep = `${'['.repeat(200_000)}"x"${']'.repeat(200_000)}`;
    const changed = rewriteStrings(deep, { root: 0, enter: () => 0, rewrite: () => '"y"' });
    expect(changed).toBe(deep.replace('x', 'y'));
  });
});
