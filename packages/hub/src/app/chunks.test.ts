import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createJoiner, cut, type Chunk } from './chunks.ts';

const joined = (texts: readonly string[]): string | undefined => {
  const joiner = createJoiner();
  return texts.map((text) => joiner.add(JSON.parse(text) as Chunk)).at(-1);
};

it('joins any JSON text from chunks within the size limit', () => {
  const json = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('😀', '"', '\\', 'ß')), {
    minLength: 40,
    maxLength: 120,
  });
  fc.assert(
    fc.property(json, fc.integer({ min: 300, max: 1_000 }), (value, maxBytes) => {
      const text = JSON.stringify(value);
      const chunks = cut(text, maxBytes, 'c1');
      for (const chunk of chunks) expect(Buffer.byteLength(chunk)).toBeLessThanOrEqual(maxBytes);
      expect(chunks.length === 1 ? chunks[0] : joined(chunks)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

it('leaves a text that fits unchanged', () => {
  expect(cut('"é"', 4, 'c')).toEqual(['"é"']);
});

it('joins mixed chunks of two texts, and drops one that is out of order', () => {
  const joiner = createJoiner();
  const chunk = (id: string, index: number, isLast: boolean): Chunk => ({
    id,
    index,
    isLast,
    data: `${id}${index}`,
  });
  expect(joiner.add(chunk('a', 0, false))).toBeUndefined();
  expect(joiner.add(chunk('b', 0, false))).toBeUndefined();
  expect(joiner.add(chunk('a', 1, true))).toBe('a0a1');
  expect(joiner.add(chunk('b', 2, true))).toBeUndefined();
  expect(joiner.add(chunk('b', 1, true))).toBeUndefined();
});
