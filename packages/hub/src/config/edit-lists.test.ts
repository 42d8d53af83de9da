import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it } from 'vitest';
import { editConfigText } from './edit.ts';

const APPS = ['proxy', 'apps'];
const add = (text: string, value: unknown, path = APPS): string =>
  editConfigText(text, [{ path, value, item: 'new' }], 'config.json');
const remove = (text: string, item: number, path = APPS): string =>
  editConfigText(text, [{ path, value: undefined, item }], 'config.json');

const TEXT = `{
  // mine
  proxy: {
    apps: [
      // the page
      { name: 'web' }, // in use
      { name: 'tab' },
    ],
  },
}
`;

describe('an item of a list', () => {
  it('is added at the end without losing comments', () => {
    expect(add(TEXT, { name: 'new' })).toBe(
      TEXT.replace("      { name: 'tab' },\n", "      { name: 'tab' },\n      { name: 'new' },\n"),
    );
    expect(add('{ "proxy": { "apps": [1, 2] } }', 3)).toBe('{ "proxy": { "apps": [1, 2, 3] } }');
  });

  it('creates a missing list', () => {
    const long = { name: 'notes', tokenHash: 'ab'.repeat(32), origins: [] };
    expect(add('{}\n', long)).toBe(`{
  "proxy": {
    "apps": [
      {
        "name": "notes",
        "tokenHash": "${'ab'.repeat(32)}",
        "origins": []
      }
    ]
  }
}
`);
    expect(add('{\n  proxy: {\n    apps: [],\n  },\n}\n', { a: 1 })).toBe(
      '{\n  proxy: {\n    apps: [\n      { a: 1 }\n    ],\n  },\n}\n',
    );
    expect(add('{ proxy: { apps: [/* none */] } }', 1)).toContain('/* none */');
  });

  it('is removed together with the comment on its line', () => {
    expect(remove(TEXT, 0)).toBe(TEXT.replace("      { name: 'web' }, // in use\n", ''));
    expect(remove(TEXT, 1)).toBe(TEXT.replace("      { name: 'tab' },\n", ''));
    expect(remove('{ "proxy": { "apps": [1, 2] } }', 1)).toBe('{ "proxy": { "apps": [1] } }');
    expect(remove('{ "proxy": { "apps": [1, 2] } }', 0)).toBe('{ "proxy": { "apps": [2] } }');
    expect(remove('{ "proxy": { "apps": [1] } }', 0)).toBe('{ "proxy": { "apps": [] } }');
  });

  it('is not removed if it does not exist', () => {
    expect(remove(TEXT, 2)).toBe(TEXT);
  });

  it('has the intended value, independent of the formatting', () => {
    const written = fc.record({
      list: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
      isJson5: fc.boolean(),
      space: fc.constantFrom('', '  ', '\t'),
    });
    fc.assert(
      fc.property(written, fc.jsonValue(), fc.nat(4), (from, any, index) => {
        const { list, value } = JSON.parse(JSON.stringify({ list: from.list, value: any })) as {
          list: unknown[];
          value: unknown;
        };
        fc.pre(!JSON.stringify([list, value]).includes('__proto__'));
        const text = (from.isJson5 ? JSON5 : JSON).stringify({ a: { list } }, undefined, from.space);
        const listOf = (edited: string): unknown => JSON5.parse<{ a: { list: unknown } }>(edited).a.list;
        expect(listOf(add(text, value, ['a', 'list']))).toEqual([...list, value]);
        expect(listOf(remove(text, index, ['a', 'list']))).toEqual(list.toSpliced(index, 1));
      }),
      { numRuns: 300 },
    );
  });
});
