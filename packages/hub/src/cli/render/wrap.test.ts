import { expect, it } from 'vitest';
import { wrap } from './approvals.ts';

it('keeps every character, and no line exceeds the width', () => {
  const text = `${'ab🦀'.repeat(20)} c  d`;
  for (const width of [2, 3, 7, 80, Number.POSITIVE_INFINITY]) {
    const lines = wrap(text, width);
    expect(lines.join('')).toBe(text);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(width);
      expect(line.isWellFormed()).toBe(true);
    }
  }
  expect(wrap('', 10)).toEqual(['']);
  expect(wrap('日本語x', 5)).toEqual(['日本', '語x']);
});
