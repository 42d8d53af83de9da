import { expect, it } from 'vitest';
import { nearestNames } from './nearest-names.ts';

const NAMES = [
  'github__create_issue',
  'github__create_pull_request',
  'github__list_issues',
  'filesystem__read_file',
  'filesystem__read_text_file',
  'memory__read_graph',
];

it.each<[string, string]>([
  ['github__creat_isue', 'github__create_issue'],
  ['create_issue', 'github__create_issue'],
  ['GITHUB.CREATE-ISSUE', 'github__create_issue'],
  ['read_file', 'filesystem__read_file'],
  ['mcp__pincer__memory__read_graph', 'memory__read_graph'],
])('%s suggests %s', (meant, name) => {
  expect(nearestNames(meant, NAMES, 3)[0]).toBe(name);
});

it('returns several names up to the limit', () => {
  expect(nearestNames('filesystem__read', NAMES, 2)).toEqual([
    'filesystem__read_file',
    'filesystem__read_text_file',
  ]);
});

it('returns nothing without similarity', () => {
  expect(nearestNames('quaternion', NAMES, 3)).toEqual([]);
  expect(nearestNames('', NAMES, 3)).toEqual([]);
  expect(nearestNames('x', [], 3)).toEqual([]);
});

it('compares only the beginning of a very long name', () => {
  expect(nearestNames(`${'q'.repeat(200)} github__create_issue`, NAMES, 3)).toEqual([]);
});
