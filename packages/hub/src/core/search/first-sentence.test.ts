import { expect, it } from 'vitest';
import { firstSentence } from './tool-search-text.ts';

it.each<[string, string]>([
  ['Creates an issue. Needs a token.', 'Creates an issue.'],
  ['Creates an issue, e.g. for a bug. Needs a token.', 'Creates an issue, e.g. for a bug.'],
  ['Works with v1.2 files', 'Works with v1.2 files'],
  ['Is it there? Says so.', 'Is it there?'],
  ['First line\nof two. Then more.', 'First line of two.'],
  ['Title without a stop\n\nBody. More.', 'Title without a stop'],
  ['# Heading\r\n\r\nBody.', 'Heading'],
  ['  - an item  ', 'an item'],
  ['创建一个问题。需要令牌。', '创建一个问题。'],
  ['', ''],
  ['\n\n', ''],
])('extracts from %j: %j', (description, sentence) => {
  expect(firstSentence(description, 200)).toBe(sentence);
});

it('cuts a long sentence', () => {
  expect(firstSentence('word '.repeat(100), 12)).toBe('word word w…');
});
