import { expect, test } from 'vitest';
import type { OwnEntry } from '../entries/entry.ts';
import { agentToolsOf } from './agent-tools.ts';

const entry = (value: object = {}, key = 'docs'): OwnEntry => ({
  key,
  server: 'docs',
  url: '',
  token: undefined,
  made: 'nothing',
  isPerCaller: false,
  value: value as OwnEntry['value'],
});

const tool = (name: string, definition: object = {}) => ({ server: 'docs', name, definition });

const namesOf = (...given: Parameters<typeof agentToolsOf>): string[] =>
  agentToolsOf(...given).tools.map(({ name }) => name);

test('names tools with the key of the entry, like OpenClaw', () => {
  const tools = [tool('Search it'), tool('search it'), tool('7zip'), tool('x'.repeat(80))];
  expect(namesOf(tools, entry({}, 'docs-pincer'), {})).toEqual([
    'docs-pincer__tool-7zip',
    'docs-pincer__search-it',
    'docs-pincer__Search-it-2',
    `docs-pincer__${'x'.repeat(51)}`,
  ]);
});

test('adds tools for resources and prompts, if the server has them', () => {
  const both = { hasPrompts: true, hasResources: true };
  const made = ['resources_list', 'resources_read', 'prompts_list', 'prompts_get'].map(
    (name) => `docs__${name}`,
  );
  expect(namesOf([], entry(), both)).toEqual(made);
  expect(namesOf([], entry({ toolFilter: { exclude: ['prompts_*'] } }), both)).toEqual(made.slice(0, 2));
  expect(namesOf([], entry(), {})).toEqual([]);
});

test('reports the tools that agents do not get, with the reason', () => {
  const filter = { toolFilter: { include: ['a*', 'c'], exclude: ['ab'] } };
  const tools = [
    tool('a'),
    tool('ab'),
    tool('b'),
    tool('c', { execution: { taskSupport: 'required' } }),
    tool('aa', { _meta: { ui: { visibility: ['app'] } } }),
  ];
  const { tools: given, leftOut } = agentToolsOf(tools, entry(filter), {});
  expect(given.map(({ name }) => name)).toEqual(['docs__a']);
  expect([...leftOut]).toEqual([
    ['toolFilter of mcp.servers.docs', ['ab', 'b']],
    ['OpenClaw does not support tools that require tasks', ['c']],
    ['for apps, not for models', ['aa']],
  ]);
});

test('returns no tools without an entry or with a disabled one', () => {
  for (const own of [undefined, entry({ enabled: false })]) {
    const { tools, leftOut } = agentToolsOf([tool('a')], own, { hasPrompts: true });
    expect(tools).toEqual([]);
    expect([...leftOut.values()]).toEqual([['a']]);
  }
});
