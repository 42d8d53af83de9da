import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

/** Lines and overflows in the order in which they were reported. */
const read = (chunks: readonly string[], maxBytes = 1_000): string[] => {
  const lines: string[] = [];
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onOverflow: () => lines.push('<overflow>'),
  });
  for (const chunk of chunks) reader.push(chunk);
  return lines;
};

/** The text cut into pieces at these positions. */
const cut = (text: string, places: readonly number[]): string[] => {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index] ?? text.length));
};

const line = fc.string({
  unit: fc.constantFrom('a', '{', '"', '\r', '\\', ' ', '\u00ff', '\0'),
  maxLength: 30,
});
const places = fc.array(fc.nat(2_000), { maxLength: 12 });

describe('LineReader', () => {
  it('reads the same lines for every way to cut the stream', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), line, places, (lines, rest, at) => {
        const text = lines.map((each) => `${each}\n`).join('') + rest;
        return JSON.stringify(read(cut(text, at))) === JSON.stringify(lines);
      }),
      { numRuns: 500 },
    );
  });

  it('reports every line that is too long, once and in order, for every way to cut', () => {
    const maxBytes = 10;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), places, (lines, at) => {
        const expected = lines.map((each) => (each.length > maxBytes ? '<overflow>' : each));
        const text = lines.map((each) => `${each}\n`).join('');
        return JSON.stringify(read(cut(text, at), maxBytes)) === JSON.stringify(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('reports a line that is too long before its end arrives', () => {
    expect(read(['12345678', '90', '1'], 10)).toEqual(['<overflow>']);
    expect(read(['12345678', '90', '1', '2'.repeat(100), '\nnext\n'], 10)).toEqual(['<overflow>', 'next']);
  });

  it('accepts a line of exactly the limit', () => {
    expect(read(['1234567890\n'], 10)).toEqual(['1234567890']);
    expect(read(['12345', '67890', '\n'], 10)).toEqual(['1234567890']);
    expect(read(['12345', '678901', '\n', 'ok\n'], 10)).toEqual(['<overflow>', 'ok']);
  });

  it('does not report an unfinished line', () => {
    expect(read(['abc'])).toEqual([]);
    expect(read([])).toEqual([]);
  });

  it('keeps empty lines and carriage returns', () => {
    expect(read(['\n\r\n\n'])).toEqual(['', '\r', '']);
  });

  it('reads long lines whole for any chunk size, and reports those that are too long', () => {
    const maxBytes = 400_000;
    const long = fc
      .tuple(fc.integer({ min: 0, max: 500_000 }), fc.constantFrom('a', '\u00ff'))
      .map(([length, filler]) => `begin${filler.repeat(length)}end`);
    const pieces = fc.integer({ min: 1_000, max: 300_000 });
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 6 }), pieces, (lines, size) => {
        const text = lines.map((each) => `${each}\n`).join('');
        const at = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => index * size);
        const found = read(cut(text, at), maxBytes);
        const expected = lines.map((each) => (each.length > maxBytes ? '<overflow>' : each));
        return found.length === expected.length && expected.every((each, index) => each === found[index]);
      }),
      { numRuns: 100 },
    );
  });

  it('reads a line of 21 MB from chunks of 64 KB', () => {
    const chunk = 'x'.repeat(65_536);
    const chunks = [...Array<string>(321).fill(chunk), '\n', 'next\n'];
    const lines = read(chunks, 96 * 1024 * 1024);
    expect(lines.map(({ length }) => length)).toEqual([321 * 65_536, 4]);
    expect(lines[0] === chunk.repeat(321)).toBe(true);
  });
});
