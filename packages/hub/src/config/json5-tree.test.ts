import { describe, expect, it } from 'vitest';
import { lineAt, offsetOf, parseTree } from './json5-tree.ts';

const TEXT = `// mine: { "servers": {} }
{
  servers: {
    'a-b': { url: "https://x/{}", /* : */ args: ['\\'', "]", +1, .5e3, Infinity], },
    \\u0063: null // last
  },
  debug: true,
}
`;

describe('parseTree', () => {
  it('finds keys and values in all JSON5 syntax', () => {
    const [servers, debug] = parseTree(TEXT).members!;
    const [first, second] = servers!.value.members!;
    expect([servers!.key, debug!.key, first!.key, second!.key]).toEqual(['servers', 'debug', 'a-b', 'c']);
    const args = first!.value.members!.find(({ key }) => key === 'args')!;
    expect(args.value.items!.map(({ start, end }) => TEXT.slice(start, end))).toEqual([
      "'\\''",
      '"]"',
      '+1',
      '.5e3',
      'Infinity',
    ]);
    expect(TEXT.slice(second!.value.start, second!.value.end)).toBe('null');
  });

  it.each(['{}', ' [ ] ', '1', '"x"', '/**/{}//'])('reads %s', (text) => {
    const { start, end } = parseTree(text);
    expect(text.slice(start, end)).toBe(text.replaceAll(/\/\*\*\/|\/\/|^ | $/g, ''));
  });
});

describe('offsetOf', () => {
  const lineOf = (...path: string[]): number => lineAt(TEXT, offsetOf(TEXT, path));

  it('finds a setting, or the nearest enclosing one', () => {
    expect([lineOf(), lineOf('servers'), lineOf('servers', 'a-b', 'args', '3'), lineOf('debug')]).toEqual([
      2, 3, 4, 7,
    ]);
    expect(lineOf('servers', 'c', 'missing')).toBe(5);
    expect(lineOf('nothing', 'such')).toBe(2);
  });

  it('finds the last of duplicate keys, as in JSON5', () => {
    const text = '{ a: 1,\n a: 2 }';
    expect(lineAt(text, offsetOf(text, ['a']))).toBe(2);
  });

  it('counts all kinds of line breaks', () => {
    expect([lineAt('a\r\nb\rc\nd', 0), lineAt('a\r\nb\rc\nd', 7)]).toEqual([1, 4]);
  });
});
