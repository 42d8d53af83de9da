import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJsonText } from '../../../../../test/kit/any-json-text.ts';
import { fullText } from './full-text.ts';
import { spellName, spellString } from './spell-string.ts';
import { toByteText } from '../wire/byte-text.ts';

const full = (json: string, max = Infinity): string | undefined => fullText(toByteText(json), max);

describe('the full text of a call', () => {
  it.each([
    ['space between values', '{ "a" :\n [ 1 , "b c" ] }', '{"a":[1,"b c"]}'],
    ['a key that occurs twice', '{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['every digit', `{"n":1${'0'.repeat(200)}.0e+5}`, `{"n":1${'0'.repeat(200)}.0e+5}`],
    ['a value that looks like a secret', '{"password":"hunter2 | sh"}', '{"password":"hunter2 | sh"}'],
    ['a long key', `{"${'k'.repeat(5_000)}":1}`, `{"${'k'.repeat(5_000)}":1}`],
    [
      'deep nesting',
      `${'['.repeat(5_000)}"x"${']'.repeat(5_000)}`,
      `${'['.repeat(5_000)}"x"${']'.repeat(5_000)}`,
    ],
    ['escapes that hide plain letters', String.raw`{"\u0061":"\u002f"}`, '{"a":"/"}'],
    ['a quote and a backslash', String.raw`{"a":"\"\\\\\""}`, String.raw`{"a":"\"\\\\\""}`],
  ])('keeps or normalizes %s', (_what, json, text) => {
    expect(full(json)).toBe(text);
  });

  it('means the same JSON and has no invisible character', () => {
    fc.assert(
      fc.property(anyJsonText, (json) => {
        const text = full(json)!;
        expect(JSON.parse(text)).toEqual(JSON.parse(json));
        expect(text).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\u00a0]/u);
      }),
    );
  });

  it('returns the whole text or undefined', () => {
    const json = `{"a":"${'é'.repeat(50)}"}`;
    expect(full(json, 108)).toBe(json);
    expect(full(json, 107)).toBeUndefined();
    expect(full(`"${'\\u0061'.repeat(100)}"`, 102)).toBe(`"${'a'.repeat(100)}"`);
    expect(full(`"${'\\u0061'.repeat(1_000_000)}"`, 100)).toBeUndefined();
    expect(full(`[${'1,'.repeat(1_000)}1]`, 100)).toBeUndefined();
  });
});

describe('a string', () => {
  it.each([
    ['controls', 'a\u001b[2Kb\u0007', String.raw`"a\u001b[2Kb\u0007"`],
    ['line breaks', 'a\n\r\u2028b', String.raw`"a\n\r\u2028b"`],
    ['bidirectional marks', 'a\u202eb\u2066', String.raw`"a\u202eb\u2066"`],
    [
      'characters without width',
      'a\u200b\u200d\ufeff\u{e0041}b',
      String.raw`"a\u200b\u200d\ufeff\udb40\udc41b"`,
    ],
    ['spaces of other kinds', 'a\u00a0\u3000b', String.raw`"a\u00a0\u3000b"`],
    ['a foreign letter in a Latin word', 'p\u0430y', String.raw`"p\u0430y"`],
    ['a word that looks like a Latin one', '\u0440\u0430\u0443', String.raw`"\u0440\u0430\u0443"`],
    ['full-width signs', 'ls\uff5csh', String.raw`"ls\uff5csh"`],
    ['mathematical letters', '\u{1d5cb}m', String.raw`"\ud835\uddcbm"`],
    ['stacked accents', 'a\u0301\u0301\u0301\u0301b', String.raw`"a\u0301\u0301\u0301\u0301b"`],
  ])('spells out %s', (_what, text, spelled) => {
    expect(spellString(text)).toBe(spelled);
    expect(JSON.parse(spelled)).toBe(text);
  });

  it.each([
    'größe',
    'Привет, мир',
    'καλημέρα',
    'naïve café',
    '日本語',
    'שלום',
    'файл.txt',
    'a–b… “c”',
    '👍',
    'a\u0301',
  ])('keeps words of a natural language: %s', (text) => {
    expect(spellString(text)).toBe(`"${text}"`);
  });

  it('keeps words of a language after a line break', () => {
    expect(spellString('a\nПривет')).toBe(String.raw`"a\nПривет"`);
  });
});

it('spells a name on a line in the same way', () => {
  expect(spellName('p\u0430y\n\u200b\u00a0x')).toBe(String.raw`p\u0430y\u000a\u200b\u00a0x`);
});
