import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/verifies.ts';
import { parseConfig } from '../config/load.ts';
import type { ServerConfig } from '../config/schema.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Child, Log, SpawnOptions } from '../core/ports.ts';
import { isStdio, openWireFor } from './connector.ts';
import { createTail } from './stdio/tail.ts';
import type { Wire } from './wire.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const CHILD: Child = {
  pid: 1,
  unsent: 0,
  write: () => true,
  pause: () => undefined,
  resume: () => undefined,
  stop: async () => undefined,
};
const configOf = (server: object): ServerConfig => parseConfig({ servers: { s: server } }, {}).servers['s']!;

function open(server: object): { wire: Wire; spawned: SpawnOptions[]; lost: string[] } {
  const spawned: SpawnOptions[] = [];
  const lost: string[] = [];
  const openWire = openWireFor({
    server: 's',
    config: configOf(server),
    limits: DEFAULT_LIMITS,
    log: QUIET,
    stderr: createTail(100),
    env: { PATH: '/bin', SECRET: 'x' },
    spawn(options) {
      spawned.push(options);
      return CHILD;
    },
  });
  const wire = openWire({
    onMessage: () => undefined,
    onRequestLost: (id) => void lost.push(id),
    onSessionEnded: () => undefined,
    onClosed: () => undefined,
    onDrain: () => undefined,
  });
  return { wire, spawned, lost };
}

describe('a stdio server', () => {
  it('is a child with its command, arguments, folder and environment as configured', () => {
    verifies('004-12.1-args', '004-12.1-env');
    const args = ['-y', 'server with spaces', '$(x)', '; rm -rf /', '', '--flag="q"'];
    const { spawned } = open({ command: 'srv', args, cwd: '/srv', env: { KEY: 'k' } });
    expect(spawned).toEqual([{ command: 'srv', args, cwd: '/srv', env: { PATH: '/bin', KEY: 'k' } }]);
  });

  it('has no arguments and no further environment unless configured', () => {
    verifies('004-12.1-args', '004-12.1-env');
    const { spawned } = open({ command: 'server' });
    expect(spawned).toEqual([{ command: 'server', args: [], cwd: undefined, env: { PATH: '/bin' } }]);
  });
});

describe('an HTTP server', () => {
  it('gets its key as bearer token, its headers, and no child', async () => {
    verifies('004-9.1-bearer', '004-12.1-api-key');
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(202).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const { wire, spawned, lost } = open({
      url,
      apiKey: 'key-1',
      headers: { 'X-Team': 'a', Authorization: 'Basic no' },
    });
    wire.send('{}', { id: 'a', method: 'x', name: undefined });
    wire.send('{}', { id: 'b', method: 'y', name: undefined });
    await expect.poll(() => lost.length, { interval: 2 }).toBe(2);
    for (const headers of seen)
      expect(headers).toMatchObject({ authorization: 'Bearer key-1', 'x-team': 'a' });
    expect(seen).toHaveLength(2);
    expect(spawned).toEqual([]);
    await wire.close();
    server.close();
  });
});

it('a server with a command is a stdio server', () => {
  expect(isStdio(configOf({ command: 'x' }))).toBe(true);
  expect(isStdio(configOf({ url: 'https://example.com' }))).toBe(false);
});
