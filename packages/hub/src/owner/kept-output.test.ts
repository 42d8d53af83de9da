import { expect, test } from 'vitest';
import { keepOutput } from './run-program.ts';

test('what comes in pieces is kept up to the limit, and the rest is counted', () => {
  let full = 0;
  const output = keepOutput(5, () => (full += 1));
  for (const text of ['ab', 'c', 'def', 'g']) output.take(Buffer.from(text));
  expect([output.bytes().toString(), output.dropped, full]).toEqual(['abcde', 2, 2]);
});

test('pieces are not held on to: a program that writes byte by byte takes no more memory than another', () => {
  const output = keepOutput(1_000, () => undefined);
  const piece = Buffer.from('a');
  for (let at = 0; at < 500; at += 1) output.take(piece);
  piece.write('b');
  expect(output.bytes().toString()).toBe('a'.repeat(500));
});

test('nothing is nothing', () => {
  expect(keepOutput(10, () => undefined).bytes()).toEqual(Buffer.alloc(0));
});
