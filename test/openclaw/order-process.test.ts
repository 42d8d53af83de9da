/** `pincer mcp-server` as a process: what it writes, and when it ends. */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { run } from '../clients/run.ts';
import { readHubFile } from '../kit/hub.ts';
import { mcpServerProgram, startMcpServer } from '../kit/mcp-server.ts';
import { callText, INITIALIZE, INITIALIZED, listText } from '../kit/messages.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { gatewayOnly, watchModel } from '../kit/openclaw/order.ts';
import { TOKEN } from '../kit/openclaw/profile.ts';
import { descendants, eventually, isAlive } from '../kit/processes.ts';
import { openStdio, type StdioClient } from '../kit/stdio.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { verifies } from '../verifies.ts';

const address = inject('openclaw');
const { profile } = openHost(address);
const model = watchModel(address);
const gatewayUrl = `ws://127.0.0.1:${profile.port}`;
const { env: bare } = gatewayOnly(profile);

const envIn = (home: string): Record<string, string> => ({
  ...bare,
  PINCER_HOME: home,
  OPENCLAW_GATEWAY_URL: gatewayUrl,
});

const orderText = (message: string): string =>
  callText('order_openclaw', { id: '"order"', args: JSON.stringify({ message }) });

async function begin(client: StdioClient): Promise<string[]> {
  const answers = [await client.ask(INITIALIZE)];
  client.send(INITIALIZED);
  return [...answers, await client.ask(listText('legacy', '"list"'))];
}

describe('stdout', () => {
  test.each([
    ['--verbose', /\w/],
    ['-v', /\w/],
    [undefined, /^$/],
  ])('has nothing but JSON-RPC with %s, and stderr has the rest', async (flag, stderr) => {
    verifies('001-start-command', '001-start-stdout-clean');
    using home = temporaryFolder('mcp-server');
    await using client = openStdio(mcpServerProgram(envIn(home.path), flag === undefined ? [] : [flag]));
    const lines = await begin(client);
    lines.push(await client.ask(orderText('hello')));
    client.send('this is no JSON');
    lines.push(await client.take((line) => line.includes('"error"')));
    client.end();
    expect(await client.exited).toBe(0);
    for (const line of [...lines, ...client.untaken])
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(lines[2]).toContain('echo: hello');
    expect(client.stderr()).toMatch(stderr);
    expect(client.stderr()).not.toContain(TOKEN);
  });
});

describe('mcp-server', () => {
  test('says its version and ends', async () => {
    using home = temporaryFolder('mcp-server');
    const { command, args } = mcpServerProgram({}, ['--version']);
    const manifest = join(import.meta.dirname, '..', '..', 'packages', 'hub', 'package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    expect(await run(command, args, { cwd: home.path, env: envIn(home.path) })).toBe(`${version}\n`);
  });

  test('runs alone, ends when stdin ends, and leaves no process', async () => {
    verifies('001-transport-exit', '001-transport-no-login');
    using home = temporaryFolder('mcp-server');
    await using client = openStdio(mcpServerProgram(envIn(home.path)));
    await begin(client);
    await client.ask(orderText('hello'));
    expect(descendants(client.pid)).toEqual([]);
    client.end();
    expect(await client.exited).toBe(0);
    expect(isAlive(client.pid)).toBe(false);
    expect(readHubFile(home.path)).toBeUndefined();
  });

  test('answers what it was asked before stdin ended', async () => {
    using home = temporaryFolder('mcp-server');
    await using client = openStdio(mcpServerProgram(envIn(home.path)));
    for (const line of [INITIALIZE, INITIALIZED, orderText('the last word')]) client.send(line);
    client.end();
    expect(await client.take((line) => line.includes('"order"'))).toContain('echo: the last word');
    expect(await client.exited).toBe(0);
  });

  test('stops the agent when its client goes', async () => {
    verifies('002-4-exit');
    using home = temporaryFolder('mcp-server');
    const name = crypto.randomUUID();
    const server = await startMcpServer(envIn(home.path));
    const answer = server.order(`hold:${name}`).catch(() => 'gone');
    await model.whenHeld(name);
    await server[Symbol.asyncDispose]();
    expect(await answer).toBe('gone');
    await model.whenCut(`hold:${name}`);
    expect(await eventually(() => !isAlive(server.pid))).toBe(true);
  });
});

describe('while a gateway is asked and does not answer', () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  const home = temporaryFolder('mcp-server');
  afterAll(() => home[Symbol.dispose]());
  const env = (): Record<string, string> => ({
    ...envIn(home.path),
    OPENCLAW_GATEWAY_URL: `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  });
  const isAsked = (): Promise<boolean> => eventually(() => sockets.size > 0);

  beforeEach(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    silent.close();
  });

  test.each(['legacy', 'auto'] as const)('a client (%s) is let in and told of the tool', async (mode) => {
    await using server = await startMcpServer(env(), mode);
    const caller = new AbortController();
    const order = server.order('hello', { signal: caller.signal }).catch(() => 'cancelled');
    expect(await isAsked()).toBe(true);
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['order_openclaw']);
    caller.abort();
    expect(await order).toBe('cancelled');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the process', async (signal) => {
    await using client = openStdio(mcpServerProgram(env()));
    for (const line of [INITIALIZE, INITIALIZED, orderText('hello')]) client.send(line);
    expect(await isAsked()).toBe(true);
    process.kill(client.pid, signal);
    // A client that waits in vain kills it after two seconds; nobody waits for as long as a connection may take.
    expect(await Promise.race([client.exited, sleep(12_000, 'still there', { ref: false })])).toBe(0);
  });
});
