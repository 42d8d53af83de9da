import { describe, expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import {
  INITIALIZE,
  INITIALIZED,
  listText,
  modernHeaders,
  parseAnswer,
  textOf,
  type Answer,
} from '../kit/messages.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { serverStatus } from '../kit/status.ts';
import type { Connection } from '../kit/http.ts';
import { openStdio } from '../kit/stdio.ts';
import { startHttpServer, stdioCommand } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

const namesOf = ({ result }: Answer): string[] =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

async function listOn(connection: Connection, path = '/mcp'): Promise<string[]> {
  const { messages } = await connection.post(listText(), { path });
  return namesOf(parseAnswer(messages.at(-1)!));
}

const isListChanged = (line: string): boolean => line.includes('notifications/tools/list_changed');

describe('the list', () => {
  it('contains the tools of all servers with their prefix, in the order of the configuration', async () => {
    verifies(
      '004-3.1-merge',
      '004-6.5-name',
      '004-12.1-enabled',
      '004-12.1-tool-prefix',
      '004-6.3-stdio-server',
    );
    await using web = await startHttpServer({ tools: ['echo', 'add'] });
    await using hub = await startHub({
      servers: {
        zebra: stdioServer({ tools: ['echo'] }, { transport: 'stdio' }),
        web: httpServer(web.url),
        bare: stdioServer({ tools: ['raw'] }, { toolPrefix: '' }),
        short: stdioServer({ tools: ['sink'] }, { toolPrefix: 's' }),
        off: stdioServer({ tools: ['sink'] }, { enabled: false }),
      },
    });
    const names = await listOn(hub.connect());
    expect(names).toEqual(['zebra__echo', 'web__add', 'web__echo', 'raw', 's__sink']);
    expect(await listOn(hub.connect(), '/mcp/web')).toEqual(['add', 'echo']);
    expect(await listOn(hub.connect(), '/mcp/short')).toEqual(['sink']);
    expect((await hub.post(listText(), { path: '/mcp/off' })).status).toBe(404);
    expect(textOf(await hub.call('echo', { message: 'x' }, { path: '/mcp/web' }))).toBe('x');
    expect((await hub.call('web__echo', { message: 'x' }, { path: '/mcp/web' })).error?.code).toBe(-32602);
    expect((await hub.call('echo', { message: 'x' })).error?.code).toBe(-32602);
    expect(textOf(await hub.call('raw', {}))).toContain('"name":"raw"');
    const modern = await hub.post(listText('modern'), { headers: modernHeaders('tools/list') });
    expect(parseAnswer(modern.body).result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
  });

  it('contains every page of a server, and every definition unchanged', async () => {
    verifies('004-6.5-schema');
    await using web = await startHttpServer({ count: 250, pageSize: 7 });
    await using direct = openStdio(stdioCommand({ count: 250 }));
    await direct.ask(INITIALIZE);
    const wanted = parseAnswer(await direct.ask(listText())).result?.['tools'];
    await using hub = await startHub({
      servers: { web: httpServer(web.url), pipe: stdioServer({ count: 250, pageSize: 7 }) },
    });
    for (const server of ['web', 'pipe']) {
      const { body } = await hub.post(listText(), { path: `/mcp/${server}` });
      expect(parseAnswer(body).result?.['tools']).toEqual(wanted);
    }
    expect(await listOn(hub.connect())).toHaveLength(544);
  });

  it('never contains an overlong, invalid or duplicate name', async () => {
    await using hub = await startHub({
      servers: {
        one: stdioServer({}),
        two: stdioServer({ tools: ['echo'] }, { toolPrefix: '' }),
        three: stdioServer({ tools: ['echo'] }, { toolPrefix: '' }),
      },
    });
    const long = 'x'.repeat(100);
    for (const name of [long, `${long}2`, 'with.dot', 'with dot', 'with_dot', 'ünïcode', 'a/b'])
      await hub.call('one__add_tool', { name });
    await expect.poll(() => listOn(hub.connect())).toHaveLength(22 + 7 + 2);
    const names = await listOn(hub.connect());
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    for (const name of names.filter((added) => !/__(?:exit|hang)$/.test(added)).slice(22))
      expect((await hub.call(name, {})).error?.code ?? 'answered').not.toBe(-32010);
    expect(textOf(await hub.call('ünïcode', {}, { path: '/mcp/one' }))).toBe('ünïcode');
  });

  it('notifies stdio clients of each change once, and not before they are ready', async () => {
    await using hub = await startHub({
      servers: { one: stdioServer(), two: stdioServer({ tools: ['echo'] }) },
    });
    verifies('004-3.1-dynamic-tools');
    const [ready, early] = [hub.stdio(), hub.stdio()];
    await ready.ask(INITIALIZE);
    ready.send(INITIALIZED);
    await early.ask(INITIALIZE);
    await hub.call('one__add_tool', { name: 'brand_new' });
    await ready.take(isListChanged);
    expect(namesOf(parseAnswer(await ready.ask(listText())))).toContain('one__brand_new');
    await hub.call('one__remove_tool', { name: 'brand_new' });
    await ready.take(isListChanged);
    expect(namesOf(parseAnswer(await ready.ask(listText())))).not.toContain('one__brand_new');
    await early.ask(listText());
    expect(early.untaken.filter(isListChanged)).toEqual([]);
    expect((await hub.call('one__brand_new')).error?.code).toBe(-32602);
  });
});

it('the catalog is restored after a restart, before any server starts', async () => {
  const servers = { late: stdioServer({ tools: ['echo'], startDelay: 3_000 }) };
  const first = await startHub({ servers });
  const { home } = first;
  expect(await listOn(first.connect())).toEqual(['late__echo']);
  await first.stop();
  await using second = await startHub({ home, servers, ready: false });
  expect(await listOn(second.connect())).toEqual(['late__echo']);
  expect((await serverStatus(second, 'late')).state).not.toBe('ready');
  expect(textOf(await second.call('late__echo', { message: 'waited for' }))).toBe('waited for');
  await first[Symbol.asyncDispose]();
});

it('a call to a starting server waits for it', async () => {
  await using hub = await startHub({
    servers: { late: stdioServer({ tools: ['echo'], startDelay: 1_000 }) },
    ready: false,
  });
  expect(textOf(await hub.call('late__echo', { message: 'first' }))).toBe('first');
});
