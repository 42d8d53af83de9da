import { expect, it } from 'vitest';
import { parseConfig } from '../../config/load.ts';
import type { ServerConfig } from '../../config/schema.ts';
import { compareServers } from './fleet.ts';

const servers = (config: Record<string, object>): ReadonlyMap<string, ServerConfig> =>
  new Map(Object.entries(parseConfig({ servers: config }, {}).servers));

it('lists added, removed and changed servers, and those that need a new connection', () => {
  const before = servers({
    same: { command: 'a' },
    soft: { command: 'b' },
    hard: { command: 'c', env: { A: '1' } },
    gone: { command: 'd' },
    off: { command: 'e' },
    on: { command: 'f', enabled: false },
  });
  const after = servers({
    off: { command: 'e', enabled: false },
    on: { command: 'f' },
    fresh: { url: 'https://example.com/mcp' },
    hard: { command: 'c', env: { A: '2' } },
    soft: {
      command: 'b',
      trust: 'ask',
      policy: { '*': 'deny' },
      agents: ['main'],
      toolFilter: { exclude: ['x'] },
    },
    same: { args: [], command: 'a' },
  });
  expect(compareServers(before, after)).toEqual({
    added: ['on', 'fresh'],
    removed: ['gone', 'off'],
    changed: ['hard', 'soft'],
    restarted: ['hard'],
    unchanged: ['same'],
  });
});

it('is empty for the same configuration', () => {
  const config = { a: { command: 'a', env: { X: '1' } }, b: { url: 'https://example.com/mcp' } };
  expect(compareServers(servers(config), servers(config))).toEqual({
    added: [],
    removed: [],
    changed: [],
    restarted: [],
    unchanged: ['a', 'b'],
  });
});
