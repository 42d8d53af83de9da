import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Connection } from '../kit/http.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import {
  callText,
  INITIALIZE,
  listText,
  parseAnswer,
  structuredOf,
  textOf,
  type Answer,
} from '../kit/messages.ts';
import { openRaw } from '../kit/raw-socket.ts';
import { stdioServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';

const namesOf = ({ result }: Answer): string[] =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

async function listOn(connection: Connection, path = '/mcp'): Promise<string[]> {
  const { messages } = await connection.post(listText(), { path });
  return namesOf(parseAnswer(messages.at(-1)!));
}

describe('a token', () => {
  const add = async (hub: TestHub, body: object): Promise<Connection> => {
    const { status, value } = await hub.control('POST', 'tokens', body);
    expect(status).toBe(200);
    return hub.connect((value as { token: string }).token);
  };

  it('hides what it may not use as if it did not exist', async () => {
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
    expect((await byServer.post(listText(), { path: '/mcp/one' })).status).toBe(404);
    const byToolOfOne = await add(hub, { name: 'by-tool-of-one', tools: ['one.echo'] });
    expect((await byToolOfOne.post(listText(), { path: '/mcp/two' })).status).toBe(404);
    expect(await listOn(byToolOfOne, '/mcp/one')).toEqual(['echo']);

    const denied = async (connection: Connection, tool: string, path = '/mcp'): Promise<Answer> =>
      parseAnswer(
        (await connection.post(callText(tool, { args: '{"data":"x"}' }), { path })).messages.at(-1)!,
      );
    const missing = (await denied(byServer, 'nowhere__tool')).error;
    for (const [connection, tool, path] of [
      [byServer, 'one__echo', '/mcp'],
      [byTool, 'one__sink', '/mcp'],
      [readOnly, 'two__sink', '/mcp'],
      [nothing, 'one__echo', '/mcp'],
    ] as const) {
      const { error } = await denied(connection, tool, path);
      expect(error).toEqual({ ...missing, message: missing?.message.replace('nowhere__tool', tool) });
    }
    expect(textOf(await denied(byTool, 'two__sink'))).toBe('1');
  });

  it('is refused after it is revoked, even on an open connection', async () => {
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

  it("that is revoked ends an idle stdio client's connection at once", async () => {
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
    await expect.poll(() => raw.isClosed).toBe(true);
  });

  it.each([undefined, 'text/event-stream'])(
    'that is revoked cancels the call that it has under way, and the client is cut off (answer as %s)',
    async (type) => {
      await using hub = await startHub({
        servers: { one: stdioServer({ tools: ['slow', 'cancelled'] }) },
        config: { limits: { keepAliveMs: 50 } },
      });
      const guest = await add(hub, { name: 'guest' });
      const headers = { accept: type === undefined ? 'application/json' : `application/json, ${type}` };
      const call = guest.post(callText('one__slow', { args: '{"ms":600000}' }), { headers });
      const cutOff = expect(call).rejects.toThrow();
      await whenInFlight(hub, 'one', 1);
      // If the answer is a stream, it has begun.
      if (type !== undefined) await sleep(200);
      await hub.control('DELETE', 'tokens?name=guest');
      await cutOff;
      const cancelled = async (): Promise<unknown> => structuredOf(await hub.call('one__cancelled'))['count'];
      await expect.poll(cancelled).toBe(1);
      expect((await guest.post(listText())).status).toBe(401);
    },
  );

  it("cannot use another token's session", async () => {
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
