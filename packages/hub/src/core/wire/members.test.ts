import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyChar } from '../../../../../test/kit/any-text.ts';
import { fromByteText, parseBytes, toByteText } from './byte-text.ts';
import {
  DuplicateKeyError,
  editMembers,
  findMember,
  isObject,
  readElements,
  readMembers,
  writeMembers,
} from './members.ts';

const hex4 = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 });
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\n': '\\n',
  '\t': '\\t',
};
/** One character in any spelling that JSON allows: raw, short escape, or \u escapes. */
const spelled = fc.tuple(anyChar, fc.nat(2)).map(([char, way]) => {
  const units = [...Array(char.length).keys()].map((index) => hex4(char.charCodeAt(index))).join('');
  if (way === 0) return units;
  if (way === 1) return SHORT_ESCAPES[char] ?? units;
  return char < ' ' || char === '"' || char === '\\' ? units : char;
});
const stringText = fc.array(spelled, { maxLength: 6 }).map((chars) => `"${chars.join('')}"`);
/**
 * No key is a single backslash. V8 13.6, which these tests compare with, mistakes `"\
 * "` for that key if an object of the same shape had it before: `JSON.parse('{"a":0,"\\\\":1}')`, then
 * `JSON.parse('{"a":0,"\
 * ":1}')`.
 */
const keyText = stringText.filter((key) => JSON.parse(key) !== '\\');
const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '1.0', '1e400', '-1E-7', '99999999999999999999', '0.10000000000000000001'),
  fc.integer().map(String),
);
const atomText = fc.oneof(stringText, numberText, fc.constantFrom('true', 'false', 'null'));

/** A key, the text between it and its value, and the value. */
interface Pair {
  readonly key: string;
  readonly between: string;
  readonly value: string;
}

/** JSON texts whose keys are unique after unescaping, with white space wherever it is allowed. */
const jsonText = fc.letrec<{ value: string; array: string; object: string }>((tie) => {
  const padded = (text: Arbitrary<string>): Arbitrary<string> =>
    fc.tuple(space, text, space).map((parts) => parts.join(''));
  const pair: Arbitrary<Pair> = fc
    .tuple(keyText, space, padded(tie('value')))
    .map(([key, between, value]) => ({ key, between, value }));
  return {
    value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, atomText, tie('array'), tie('object')),
    array: fc
      .tuple(space, fc.array(padded(tie('value')), { maxLength: 4 }))
      .map(([blank, items]) => `[${items.length === 0 ? blank : items.join(',')}]`),
    object: fc
      .tuple(
        space,
        fc.uniqueArray(fc.tuple(space, pair, space), {
          maxLength: 5,
          selector: ([, { key }]) => JSON.parse(key) as string,
        }),
      )
      .map(([blank, pairs]) => {
        const inner = pairs.map(([a, { key, between, value }, b]) => `${a}${key}${between}:${value}${b}`);
        return `{${inner.length === 0 ? blank : inner.join(',')}}`;
      }),
  };
});

const sameValue = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

describe('readMembers', () => {
  it('round-trips every object with writeMembers', () => {
    fc.assert(
      fc.property(jsonText.object, space, (object, before) => {
        const text = toByteText(before + object);
        return sameValue(parseBytes(writeMembers(readMembers(text))), parseBytes(text));
      }),
      { numRuns: 400 },
    );
  });

  it('cuts out exactly each value’s own text', () => {
    fc.assert(
      fc.property(jsonText.object, (object) => {
        const text = toByteText(object);
        const value = parseBytes(text) as Record<string, unknown>;
        const members = readMembers(text);
        return (
          members.length === Object.keys(value).length &&
          members.every(({ key, raw }) => {
            const isTrimmed = !/^[ \n\r\t]|[ \n\r\t]$/.test(raw);
            return isTrimmed && text.includes(raw) && sameValue(parseBytes(raw), value[key]);
          })
        );
      }),
      { numRuns: 400 },
    );
  });

  it.each(['99999999999999999999', '1.0', '-0', '1e400', '0.10000000000000000001', '1E+2'])(
    'keeps %s unchanged',
    (number) => {
      const text = `{"a": ${number} ,"b":[${number}],"c":{"d":${number}}}`;
      const members = readMembers(text);
      expect(members.map(({ raw }) => raw)).toEqual([number, `[${number}]`, `{"d":${number}}`]);
      expect(writeMembers(members)).toBe(`{"a":${number},"b":[${number}],"c":{"d":${number}}}`);
    },
  );

  it.each([0, 1, 2, 3, 1_000, 1_001, 100_000])('finds the end of a string behind %i backslashes', (count) => {
    const inner = '\\\\'.repeat(count);
    const text = `{"a":"${inner}","b":"${inner}\\"","${inner}":{"c":"}${inner}\\"}"}}`;
    const members = readMembers(text);
    expect(members.map(({ key }) => key)).toEqual(['a', 'b', '\\'.repeat(count)]);
    expect(members[0]!.raw).toBe(`"${inner}"`);
    expect(members[1]!.raw).toBe(`"${inner}\\""`);
    expect(members[2]!.raw).toBe(`{"c":"}${inner}\\"}"}`);
  });

  it('ignores braces, brackets, commas and colons inside strings', () => {
    const text = '{"a":"}],:{[","b":{"c":"]}"},"d":["}",{"e":"]"}]}';
    expect(readMembers(text).map(({ raw }) => raw)).toEqual(['"}],:{["', '{"c":"]}"}', '["}",{"e":"]"}]']);
  });

  it('reads 200,000 levels of nesting without recursion', () => {
    const deep = '[{"a":'.repeat(100_000) + '1' + '}]'.repeat(100_000);
    const [member] = readMembers(`{"deep":${deep}}`);
    expect(member!.raw).toBe(deep);
    expect(readElements(deep)).toEqual([deep.slice(1, -1)]);
  });

  it('reads keys in every script', () => {
    const text = toByteText('{"größe":1,"日本":2,"\\ud83e\\udd90":3,"🦀":4}');
    expect(readMembers(text).map(({ key }) => key)).toEqual(['größe', '日本', '🦐', '🦀']);
  });

  it.each([
    ['plainly', '{"name":1,"name":2}', 'name'],
    ['in another spelling', '{"name":1,"n\\u0061me":2}', 'name'],
    ['in another spelling, first', '{"n\\u0061m\\u0065":1,"name":2}', 'name'],
    ['as the empty key', '{"":1,"a":2,"":3}', ''],
    ['as __proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['with a slash that needs no escape', '{"a/b":1,"a\\/b":2}', 'a/b'],
    ['outside of ASCII', toByteText('{"größe":1,"gr\\u00f6ße":2}'), 'größe'],
  ])('refuses a duplicate key %s', (_how, text, key) => {
    expect(() => readMembers(text)).toThrow(DuplicateKeyError);
    expect(() => readMembers(text)).toThrow(expect.objectContaining({ key }));
  });

  it.each([1, 2, 7, 8, 9, 10, 100, 10_000])(
    'refuses a duplicate among %i other keys, first or last',
    (count) => {
      const others = [...Array(count).keys()].map((index) => `"k${index}":${index}`);
      expect(readMembers(`{${others.join(',')}}`)).toHaveLength(count);
      for (const again of ['"k0":1', `"\\u006b${count - 1}":1`])
        expect(() => readMembers(`{${[...others, again].join(',')}}`)).toThrow(DuplicateKeyError);
    },
  );

  it('reads 200,000 members', () => {
    const text = `{${[...Array(200_000).keys()].map((index) => `"k${index}":${index}`).join(',')}}`;
    const members = readMembers(text);
    expect(members).toHaveLength(200_000);
    expect(writeMembers(members) === text).toBe(true);
  });

  it('checks for duplicates on its own level only', () => {
    expect(readMembers('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}')).toHaveLength(2);
  });

  it('distinguishes keys that look alike', () => {
    const text = toByteText('{"name":1,"Name":2,"name ":3,"nаme":4}');
    expect(readMembers(text)).toHaveLength(4);
  });
});

describe('readElements', () => {
  it('returns every element as its own text', () => {
    fc.assert(
      fc.property(jsonText.array, (array) => {
        const text = toByteText(array);
        const elements = readElements(text);
        return sameValue(
          elements.map((raw) => parseBytes(raw)),
          parseBytes(text),
        );
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['[]', []],
    ['[ \n ]', []],
    ['[1]', ['1']],
    [' [ 1 , "a,]" ,[2,3], {"b":[]} ] ', ['1', '"a,]"', '[2,3]', '{"b":[]}']],
  ])('%s', (text, elements) => {
    expect(readElements(text)).toEqual(elements);
  });
});

describe('writeMembers', () => {
  const members = readMembers('{"name": "a", "n": 1.0, "größe": true}'.replace('größe', toByteText('größe')));
  const written = (replace: Record<string, string | undefined>): string =>
    fromByteText(writeMembers(members, replace));

  it('replaces in place, leaves out and adds at the end', () => {
    expect(written({})).toBe('{"name":"a","n":1.0,"größe":true}');
    expect(written({ name: '"b"' })).toBe('{"name":"b","n":1.0,"größe":true}');
    expect(written({ name: undefined })).toBe('{"n":1.0,"größe":true}');
    expect(written({ added: 'null', gone: undefined })).toBe(
      '{"name":"a","n":1.0,"größe":true,"added":null}',
    );
    expect(written({ name: undefined, n: undefined, größe: undefined })).toBe('{}');
    expect(written({ name: undefined, n: undefined, größe: undefined, x: '1' })).toBe('{"x":1}');
  });

  it('ignores properties that every object inherits', () => {
    const text = '{"constructor":1,"toString":2,"__proto__":3,"hasOwnProperty":4}';
    expect(writeMembers(readMembers(text))).toBe(text);
    expect(writeMembers(readMembers(text), { toString: '5' })).toBe(text.replace('2', '5'));
  });

  it('changes nothing but the replaced member, for any object', () => {
    fc.assert(
      fc.property(jsonText.object, jsonText.value, (object, raw) => {
        const read = readMembers(toByteText(object));
        const after = readMembers(writeMembers(read, { name: toByteText(raw) }));
        const others = (list: typeof read): typeof read => list.filter(({ key }) => key !== 'name');
        return findMember(after, 'name') === toByteText(raw) && sameValue(others(after), others(read));
      }),
      { numRuns: 200 },
    );
  });
});

describe('editMembers', () => {
  const members = readMembers('{"a": 1.0,"b":"x","c":[]}');

  it('replaces values, removes members, and appends new ones', () => {
    expect(editMembers(members, { b: '2', c: undefined, d: '3', e: undefined })).toEqual([
      { key: 'a', raw: '1.0' },
      { key: 'b', raw: '2' },
      { key: 'd', raw: '3' },
    ]);
  });

  it('does not change its input', () => {
    const before = structuredClone(members);
    expect(editMembers(members, {})).toEqual(before);
    editMembers(members, { a: undefined });
    expect(members).toEqual(before);
  });

  it.each(['constructor', 'toString', '__proto__'])('treats %s as an ordinary key', (key) => {
    const odd = readMembers(`{"${key}":1}`);
    expect(editMembers(odd, { a: '2' })).toEqual([
      { key, raw: '1' },
      { key: 'a', raw: '2' },
    ]);
    expect(editMembers(odd, Object.fromEntries([[key, '3']]))).toEqual([{ key, raw: '3' }]);
  });

  it('has the same result as writeMembers', () => {
    const replace = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.option(fc.constantFrom('1', '"x"', '{}'), { nil: undefined }),
    );
    fc.assert(
      fc.property(replace, (edits) => {
        expect(writeMembers(editMembers(members, edits))).toBe(writeMembers(members, edits));
      }),
    );
  });
});

describe('isObject', () => {
  it.each([
    ['{}', true],
    [' \n{"a":1}', true],
    ['[]', false],
    ['"{}"', false],
    ['null', false],
    ['1', false],
  ])('%s is %s', (raw, expected) => {
    expect(isObject(raw)).toBe(expected);
  });
});
