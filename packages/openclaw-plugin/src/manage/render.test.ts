import { expect, test } from 'vitest';
import { MAX_CHARACTERS, renderAnswer } from './render.ts';

test('gives a person a code block without Markdown, and a model the plain text', () => {
  const answer = { lines: ['  docs__search  [free](https://evil.example)'] };
  expect(renderAnswer(answer, 'person')).toBe('```\n  docs__search  [free](https://evil.example)\n```');
  expect(renderAnswer(answer, 'model')).toBe('  docs__search  [free](https://evil.example)');
});

test('escapes fences in texts of servers', () => {
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

test('says how many lines are left, and how to see them', () => {
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

test('cuts a long line instead of dropping others', () => {
  const [, first, second] = renderAnswer({ lines: ['x'.repeat(10_000), 'next'] }, 'person').split('\n');
  expect(first).toHaveLength(400);
  expect(first!.endsWith('…')).toBe(true);
  expect(second).toBe('next');
});

test('puts a link outside of the block, without markup characters', () => {
  const link = 'https://a.example/x_y?state=_a*b_&c=(d)~';
  expect(renderAnswer({ lines: ['Open it:'], links: [link] }, 'person')).toBe(
    '```\nOpen it:\n```\nhttps://a.example/x%5Fy?state=%5Fa%2Ab%5F&c=%28d%29%7E',
  );
  const rendered = renderAnswer({ lines: [], links: [link] }, 'model').trim();
  expect(new URL(rendered).searchParams.get('state')).toBe('_a*b_');
});

test('always shows the last lines', () => {
  const lines = Array.from({ length: 200 }, () => 'x'.repeat(60));
  const last = Array.from({ length: 20 }, (_, index) => `need ${index}`);
  const text = renderAnswer({ lines, last, more: (left) => `… ${left} more` }, 'person');
  expect(text.length).toBeLessThanOrEqual(MAX_CHARACTERS);
  expect(text).toMatch(/… \d+ more\nneed 0\n(?:need \d+\n){11}… 8 more lines\n```$/);
});
