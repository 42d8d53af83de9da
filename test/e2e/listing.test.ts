import { describe, expect, it, vi } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import {
  callText,
  INITIALIZE,
  INITIALIZED,
  listText,
  modernHeaders,
  parseAnswer,
  textOf,
  type Answer,
} from '../kit/messages.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { openRaw } from '../kit/raw-socket.ts';
import { serverStatus } from '../kit/status.ts';
import type { Connection } from '../kit/http.ts';
import { startHttpServer } from '../servers/start.ts';

const namesOf = ({ result }: Answer): string[] =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

async function listOn(connection: Connection, path = '/mcp'): Promise<string[]> {
  const { messages } = await connection.post(listText(), { path });
  return namesOf(parseAnswer(messages.at(-1)!));
}

const isListChanged = (line: string): boolean => line.includes('notifications/tools/list_changed');

describe('the list', () => {
  it('has the tools of all servers under their servers, in the order of the configuration', async () => {
    await using web = await startHttpServer({ tools: ['echo', 'add'] });
    await using hub = await startHub({
      servers: {
        zebra: stdioServer({ tools: ['echo'] }),
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

  it('has every page of a server, and every definition as it was', async () => {
    await using direct = await startHttpServer({ count: 250, pageSize: 7 });
    await using hub = await startHub({
      servers: { web: httpServer(direct.url), pipe: stdioServer({ count: 250, pageSize: 7 }) },
    });
    for (const server of ['web', 'pipe']) {
      const { body } = await hub.post(listText(), { path: `/mcp/${server}` });
      expect(namesOf(parseAnswer(body))).toHaveLength(272);
      expect(body).toContain('"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}}');
    }
    expect(await listOn(hub.connect())).toHaveLength(544);
  });

  it('never has a name that is too long, unlawful or twice', async () => {
    await using hub = await startHub({
      servers: { one: stdioServer({}), two: stdioServer({ tools: ['echo'] }, { toolPrefix: 'one' }) },
    });
    const long = 'x'.repeat(100);
    for (const name of [long, `${long}2`, 'with.dot', 'with dot', 'with_dot', 'ünïcode', 'a/b'])
      await hub.call('one__add_tool', { name });
    await expect.poll(() => listOn(hub.connect())).toHaveLength(22 + 7 + 1);
    const names = await listOn(hub.connect());
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    for (const name of names.filter((added) => !/__(?:exit|hang)$/.test(added)).slice(22))
      expect((await hub.call(name, {})).error?.code ?? 'answered').not.toBe(-32010);
    expect(textOf(await hub.call('ünïcode', {}, { path: '/mcp/one' }))).toBe('ünïcode');
  });

  it('tells stdio clients of changes, once each, and of nothing before they are ready', async () => {
    await using hub = await startHub({
      servers: { one: stdioServer(), two: stdioServer({ tools: ['echo'] }) },
    });
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

describe('a token', () => {
  const add = async (hub: TestHub, body: object): Promise<Connection> => {
    const { status, value } = await hub.control('POST', 'tokens', body);
    expect(status).toBe(200);
    return hub.connect((value as { token: string }).token);
  };

  it('hides what it may not use, and what is hidden does not exist', async () => {
    await using hub = await startHub({
      servers: {
        one: stdioServer({ tools: ['echo', 'raw', 'sink'] }),
        two: stdioServer({ tools: ['echo', 'sink'] }),
      },
    });
    const byServer = await add(hub, { name: 'by-server', servers: ['two'] });
    const byTool = await add(hub, { name: 'by-tool', tools: ['one.echo', 'two.s*'] });
    const readOnly = await add(hub, { name: 'read-only', readOnly: true });
    const nothing = await add(hub, { name: 'nothing', servers: [] });
    expect((await listOn(byServer)).sort()).toEqual(['two__echo', 'two__sink']);
    expect((await listOn(byTool)).sort()).toEqual(['one__echo', 'two__sink']);
    expect((await listOn(readOnly)).sort()).toEqual(['one__echo', 'one__raw', 'two__echo']);
    expect(await listOn(nothing)).toEqual([]);
    expect(await listOn(byServer, '/mcp/one')).toEqual([]);

    const denied = async (connection: Connection, tool: string, path = '/mcp'): Promise<Answer> =>
      parseAnswer(
        (await connection.post(callText(tool, { args: '{"data":"x"}' }), { path })).messages.at(-1)!,
      );
    const missing = (await denied(byServer, 'nowhere__tool')).error;
    for (const [connection, tool, path] of [
      [byServer, 'one__echo', '/mcp'],
      [byServer, 'echo', '/mcp/one'],
      [byTool, 'one__sink', '/mcp'],
      [readOnly, 'two__sink', '/mcp'],
      [nothing, 'one__echo', '/mcp'],
    ] as const) {
      const { error } = await denied(connection, tool, path);
      expect(error).toEqual({ ...missing, message: missing?.message.replace('nowhere__tool', tool) });
    }
    expect(textOf(await denied(byTool, 'two__sink'))).toBe('1');
  });

  it('that is revoked opens nothing any more, on a connection that is open too', async () => {
    await using hub = await startHub({ servers: { one: stdioServer({ tools: ['echo'] }) } });
    const guest = await add(hub, { name: 'guest' });
    const other = await add(hub, { name: 'other' });
    expect(await listOn(guest)).toEqual(['one__echo']);
    expect((await hub.control('DELETE', 'tokens?name=guest')).status).toBe(200);
    expect((await guest.post(listText())).status).toBe(401);
    expect(await listOn(other)).toEqual(['one__echo']);
    expect(await listOn(hub.connect())).toEqual(['one__echo']);
    expect((await hub.control('DELETE', 'tokens?name=guest')).status).toBe(422);
    expect((await hub.control('POST', 'tokens', { name: 'other' })).status).toBe(422);
    const { value } = await hub.control('GET', 'tokens');
    expect(JSON.stringify(value)).not.toMatch(/[A-Za-z0-9_-]{43}/);
  });

  it('that is revoked ends the connection of a stdio client', async () => {
    await using hub = await startHub({ servers: { one: stdioServer({ tools: ['echo'] }) } });
    const { value } = await hub.control('POST', 'tokens', { name: 'guest' });
    const { host } = new URL(hub.origin);
    await using raw = await openRaw(hub.origin);
    raw.write(
      `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${(value as { token: string }).token}\r\n` +
        'Connection: Upgrade\r\nUpgrade: pincer-stdio\r\n\r\n',
    );
    expect((await raw.response())?.status).toBe(101);
    const echo = vi.fn<(chunk: Buffer) => void>();
    raw.socket.on('data', echo);
    raw.write(`${callText('one__echo', { args: '{"message":"before"}' })}\n`);
    await expect.poll(() => String(echo.mock.lastCall?.[0])).toContain('before');
    expect((await hub.control('DELETE', 'tokens?name=guest')).status).toBe(200);
    raw.write(`${callText('one__echo', { args: '{"message":"after"}' })}\n`);
    await expect.poll(() => raw.isClosed).toBe(true);
    expect(String(echo.mock.lastCall?.[0])).not.toContain('after');
  });

  it('cannot use the session of another', async () => {
    await using hub = await startHub({ servers: { one: stdioServer({ tools: ['echo'] }) } });
    const [mine, other] = [await add(hub, { name: 'mine' }), await add(hub, { name: 'other' })];
    const headers = { 'mcp-session-id': String((await mine.post(INITIALIZE)).headers['mcp-session-id']) };
    expect((await mine.post(listText(), { headers })).status).toBe(200);
    expect((await other.post(listText(), { headers })).status).toBe(404);
    expect((await other.post('', { method: 'DELETE', headers })).status).toBe(404);
    expect((await mine.post('', { method: 'DELETE', headers })).status).toBe(204);
    expect((await mine.post(listText(), { headers })).status).toBe(404);
  });
});

it('the catalog is there after a restart, before any server is', async () => {
  const servers = { late: stdioServer({ tools: ['echo'], startDelay: 3_000 }) };
  const first = await startHub({ servers });
  const { home } = first;
  expect(await listOn(first.connect())).toEqual(['late__echo']);
  await first.stop();
  await using second = await startHub({ home, servers, ready: false });
  expect(await listOn(second.connect())).toEqual(['late__echo']);
  expect((await serverStatus(second, 'late')).state).toBe('connecting');
  expect(textOf(await second.call('late__echo', { message: 'waited for' }))).toBe('waited for');
  await first[Symbol.asyncDispose]();
});

it('a call to a server that is still starting waits for it', async () => {
  await using hub = await startHub({
    servers: { late: stdioServer({ tools: ['echo'], startDelay: 1_000 }) },
    ready: false,
  });
  expect(textOf(await hub.call('late__echo', { message: 'first' }))).toBe('first');
});
