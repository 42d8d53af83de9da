import { expect, test } from 'vitest';
import { MAX_CHARACTERS, renderAnswer } from './render.ts';

test('a person is given a block, in which nothing is Markdown; a model is given the text', () => {
  const answer = { lines: ['  docs__search  [free](https://evil.example)'] };
  expect(renderAnswer(answer, 'person')).toBe('```\n  docs__search  [free](https://evil.example)\n```');
  expect(renderAnswer(answer, 'model')).toBe('  docs__search  [free](https://evil.example)');
});

test('no text of a server ends the block', () => {
  const text = renderAnswer({ lines: ['a ``` b', '````', '~~~', 'a `b` c'] }, 'person');
  expect(text.split('\n')).toEqual([
    '```',
    String.raw`a \u0060\u0060\u0060 b`,
    String.raw`\u0060\u0060\u0060\u0060`,
    String.raw`\u007e\u007e\u007e`,
    'a `b` c',
    '```',
  ]);
});

test('what is too long says how much is left, and how it is seen', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index} ${'x'.repeat(40)}`);
  const text = renderAnswer(
    { lines, more: (left) => `… ${left} more lines: /mcp tools <server>`, links: ['https://a.example/'] },
    'person',
  );
  expect(text.length).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(text.length).toBeGreaterThan(MAX_CHARACTERS - 120);
  const shown = text.split('\n').filter((line) => line.startsWith('line ')).length;
  expect(text).toContain(`… ${1_000 - shown} more lines: /mcp tools <server>`);
  expect(text.endsWith('```\nhttps://a.example/')).toBe(true);
});

test('a line without an end does not push out the others', () => {
  const [, first, second] = renderAnswer({ lines: ['x'.repeat(10_000), 'next'] }, 'person').split('\n');
  expect(first).toHaveLength(400);
  expect(first!.endsWith('…')).toBe(true);
  expect(second).toBe('next');
});

test('a link stands outside of the block, in characters that no channel takes for its own', () => {
  const link = 'https://a.example/x_y?state=_a*b_&c=(d)~';
  expect(renderAnswer({ lines: ['Open it:'], links: [link] }, 'person')).toBe(
    '```\nOpen it:\n```\nhttps://a.example/x%5Fy?state=%5Fa%2Ab%5F&c=%28d%29%7E',
  );
  const said = renderAnswer({ lines: [], links: [link] }, 'model').trim();
  expect(new URL(said).searchParams.get('state')).toBe('_a*b_');
});

test('what stands at the end is shown, however long the rest is', () => {
  const lines = Array.from({ length: 200 }, () => 'x'.repeat(60));
  const last = Array.from({ length: 20 }, (_, index) => `need ${index}`);
  const text = renderAnswer({ lines, last, more: (left) => `… ${left} more` }, 'person');
  expect(text.length).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(text).toMatch(/… \d+ more\nneed 0\n(?:need \d+\n){11}… 8 more lines\n```$/);
});
