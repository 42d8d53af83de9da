import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteBudget, createChunks, toChunks, type Chunks } from './chunks.ts';
import { isFault, type ChunkFrame } from './frame.ts';
import { readFrame } from './read-frame.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const LIMITS = { maxJoinedBytes: 10, maxChunks: 3, maxOpenChunked: 2 };

const chunk = (id: string, index: number, data: string, isLast = false): ChunkFrame => ({
  type: 'chunk',
  mcpSessionId: undefined,
  id,
  index,
  isLast,
  data,
});

const codeOf = (added: ReturnType<Chunks['add']>): string | undefined =>
  added !== undefined && isFault(added) ? added.code : undefined;

describe('chunks', () => {
  it('are limited over all senders, without those of senders that disconnected', () => {
    const budget = createByteBudget(10);
    const [one, two] = [createChunks(LIMITS, budget), createChunks(LIMITS, budget)];
    expect(one.add(chunk('a', 0, '12345678'))).toBeUndefined();
    expect(codeOf(two.add(chunk('a', 0, '123')))).toBe('chunk_too_large');
    expect(two.add(chunk('a', 0, '12'))).toBeUndefined();
    one.clear();
    expect(two.add(chunk('a', 1, '12345678'))).toBeUndefined();
    expect(two.add(chunk('a', 2, '', true))).toEqual({ text: '1212345678' });
    expect(one.add(chunk('b', 0, '1234567890'))).toBeUndefined();
  });

  it('become one text after the last one', () => {
    const chunks = createChunks(LIMITS);
    expect(chunks.add(chunk('a', 0, 'on'))).toBeUndefined();
    expect(chunks.add(chunk('b', 0, 'tw'))).toBeUndefined();
    expect(chunks.add(chunk('a', 1, 'e', true))).toEqual({ text: 'one' });
    expect(chunks.add(chunk('b', 1, 'o', true))).toEqual({ text: 'two' });
    expect(chunks.heldBytes).toBe(0);
  });

  it('may be only one, and an id may be reused', () => {
    const chunks = createChunks(LIMITS);
    expect(chunks.add(chunk('a', 0, 'x', true))).toEqual({ text: 'x' });
    expect(chunks.add(chunk('a', 0, 'y', true))).toEqual({ text: 'y' });
  });

  it.each([
    ['the second first', [1]],
    ['one that is missing', [0, 2]],
    ['one twice', [0, 1, 1]],
    ['the first twice', [0, 0]],
  ])('are rejected and restarted for %s', (_, order) => {
    const chunks = createChunks(LIMITS);
    const codes = order.map((index) => codeOf(chunks.add(chunk('a', index, 'x'))));
    expect(codes.pop()).toBe('chunk_out_of_order');
    expect(codes.every((code) => code === undefined)).toBe(true);
    expect(chunks.heldBytes).toBe(0);
    expect(chunks.add(chunk('a', 0, 'whole', true))).toEqual({ text: 'whole' });
  });

  it('are counted in bytes over all incomplete texts', () => {
    const chunks = createChunks(LIMITS);
    chunks.add(chunk('a', 0, 'ééé'));
    expect(chunks.heldBytes).toBe(6);
    expect(codeOf(chunks.add(chunk('b', 0, '12345', true)))).toBe('chunk_too_large');
    expect(chunks.heldBytes).toBe(6);
    expect(chunks.add(chunk('b', 0, '1234', true))).toEqual({ text: '1234' });
    expect(codeOf(chunks.add(chunk('a', 1, '12345')))).toBe('chunk_too_large');
    expect(chunks.heldBytes).toBe(0);
  });

  it('are limited in number, even if they are empty', () => {
    const chunks = createChunks(LIMITS);
    for (const index of [0, 1, 2]) expect(chunks.add(chunk('a', index, ''))).toBeUndefined();
    expect(codeOf(chunks.add(chunk('a', 3, '', true)))).toBe('chunk_too_many');
  });

  it('are limited in the number of open texts', () => {
    const chunks = createChunks(LIMITS);
    chunks.add(chunk('a', 0, 'x'));
    chunks.add(chunk('b', 0, 'x'));
    expect(codeOf(chunks.add(chunk('c', 0, 'x')))).toBe('chunk_too_many_open');
    expect(chunks.add(chunk('c', 0, 'whole', true))).toEqual({ text: 'whole' });
    expect(chunks.add(chunk('a', 1, 'y', true))).toEqual({ text: 'xy' });
    expect(chunks.add(chunk('c', 0, 'x'))).toBeUndefined();
  });
});

/** Joins them like the other side. */
function joined(texts: readonly string[]): string | undefined {
  const chunks = createChunks({ maxJoinedBytes: 64 * 1024 * 1024 });
  let whole: string | undefined;
  for (const text of texts) {
    const read = readFrame(text);
    if (isFault(read) || read.type !== 'chunk') throw new Error(`no chunk: ${text}`);
    const added = chunks.add(read);
    if (added !== undefined && isFault(added)) throw new Error(added.message);
    whole = added?.text;
  }
  return whole;
}

const character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom('"', '\\', '😀', 'é', '\u0000', '\n', 'a'),
);
const longText = fc.array(character, { minLength: 301, maxLength: 600 }).map((all) => all.join(''));

describe('toChunks', () => {
  it('returns a text that fits unchanged', () => {
    expect(toChunks('{"é":1}', 8, 'c')).toEqual(['{"é":1}']);
  });

  it('keeps any text in any split, within the size limit', () => {
    fc.assert(
      fc.property(longText, fc.integer({ min: 100, max: 300 }), (text, maxBytes) => {
        const texts = toChunks(text, maxBytes, 'c');
        for (const piece of texts) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
        expect(joined(texts)).toBe(text);
      }),
      { numRuns: atDepth(200, 1_000) },
    );
  });

  it('uses the available room', () => {
    const texts = toChunks('x'.repeat(100_000), 10_000, 'c');
    expect(texts).toHaveLength(11);
  });

  it('refuses a size without room for data', () => {
    expect(() => toChunks('x'.repeat(100), 50, 'c')).toThrow(RangeError);
  });
});

it('joins the chunks of any sender', () => {
  fc.assert(
    fc.property(fc.array(character), fc.array(fc.nat({ max: 400 }), { maxLength: 8 }), (characters, cuts) => {
      const places = [0, ...cuts.map((at) => at % (characters.length + 1)), characters.length].toSorted(
        (a, b) => a - b,
      );
      const pieces = places.slice(1).map((end, at) => characters.slice(places[at], end).join(''));
      const texts = pieces.map((data, index) =>
        JSON.stringify({ type: 'chunk', id: 'c', index, isLast: index === pieces.length - 1, data }),
      );
      expect(joined(texts)).toBe(characters.join(''));
    }),
    { numRuns: atDepth(200, 1_000) },
  );
});
