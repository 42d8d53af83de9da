import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';

/** Lines and overflows in the order in which they were told. */
const read = (chunks: readonly string[], maxBytes = 1_000): string[] => {
  const told: string[] = [];
  const reader = new LineReader({
    maxBytes,
    onLine: (line) => told.push(line),
    onOverflow: () => told.push('<overflow>'),
  });
  for (const chunk of chunks) reader.push(chunk);
  return told;
};

/** The text in pieces, cut at these places. */
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
  it('gives the same lines for every way to cut them', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), line, places, (lines, rest, at) => {
        const text = lines.map((each) => `${each}\n`).join('') + rest;
        return JSON.stringify(read(cut(text, at))) === JSON.stringify(lines);
      }),
      { numRuns: 500 },
    );
  });

  it('tells of every line that is too long, once and in its place, for every way to cut', () => {
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

  it('says that a line is too long before its end has come', () => {
    expect(read(['12345678', '90', '1'], 10)).toEqual(['<overflow>']);
    expect(read(['12345678', '90', '1', '2'.repeat(100), '\nnext\n'], 10)).toEqual(['<overflow>', 'next']);
  });

  it('takes a line of exactly the limit', () => {
    expect(read(['1234567890\n'], 10)).toEqual(['1234567890']);
    expect(read(['12345', '67890', '\n'], 10)).toEqual(['1234567890']);
    expect(read(['12345', '678901', '\n', 'ok\n'], 10)).toEqual(['<overflow>', 'ok']);
  });

  it('keeps what has no end yet to itself', () => {
    expect(read(['abc'])).toEqual([]);
    expect(read([])).toEqual([]);
  });

  it('gives empty lines and carriage returns as they are', () => {
    expect(read(['\n\r\n\n'])).toEqual(['', '\r', '']);
  });

  it('gives long lines whole, however long the pieces are, and tells of those that are too long', () => {
    const maxBytes = 400_000;
    const long = fc
      .tuple(fc.integer({ min: 0, max: 500_000 }), fc.constantFrom('a', '\u00ff'))
      .map(([length, filler]) => `begin${filler.repeat(length)}end`);
    const pieces = fc.integer({ min: 1_000, max: 300_000 });
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 6 }), pieces, (lines, size) => {
        const text = lines.map((each) => `${each}\n`).join('');
        const at = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => index * size);
        const told = read(cut(text, at), maxBytes);
        const expected = lines.map((each) => (each.length > maxBytes ? '<overflow>' : each));
        return told.length === expected.length && expected.every((each, index) => each === told[index]);
      }),
      { numRuns: 100 },
    );
  });

  it('gives a line of 21 MB whole, out of chunks of 64 KB', () => {
    const chunk = 'x'.repeat(65_536);
    const chunks = [...Array<string>(321).fill(chunk), '\n', 'next\n'];
    const lines = read(chunks, 96 * 1024 * 1024);
    expect(lines.map(({ length }) => length)).toEqual([321 * 65_536, 4]);
    expect(lines[0] === chunk.repeat(321)).toBe(true);
  });
});
