import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, parseAnswer, structuredOf, textOf } from '../kit/messages.ts';
import { openRaw, postText } from '../kit/raw-socket.ts';
import { eventually, residentBytes } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';
import { createLineReader } from '../servers/transports/lines.ts';

const MIB = 1024 * 1024;
const SERVERS = { pipe: stdioServer(), other: stdioServer({ tools: ['echo'] }) };

const expectWell = async (hub: TestHub): Promise<void> =>
  expect(textOf(await hub.call('other__echo', { message: 'well' }))).toBe('well');

/** Opens the connection of `pincer stdio`, so that the test decides when to read its socket. */
function openPaused(hub: TestHub): Socket {
  const { hostname, port } = new URL(hub.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.write(
    `GET /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${hub.token}\r\n` +
      'Connection: Upgrade\r\nUpgrade: pincer-stdio\r\n\r\n',
  );
  return socket;
}

describe('a client that does not read', () => {
  it('loses progress but no answers, and costs the hub little memory', async () => {
    await using hub = await startHub({
      servers: SERVERS,
      config: { limits: { maxCallsPerCredential: 100 } },
    });
    const before = residentBytes(hub.pid);
    const socket = openPaused(hub);
    const CALLS = 48;
    const STEPS = 6_000;
    for (let id = 0; id < CALLS; id++) {
      const meta = `"progressToken":${id}`;
      socket.write(`${callText('pipe__progress', { id: String(id), args: `{"steps":${STEPS}}`, meta })}\n`);
    }
    await whenInFlight(hub, 'pipe', CALLS);
    let highest = 0;
    const isDone = await eventually(
      async () => {
        highest = Math.max(highest, residentBytes(hub.pid));
        await expectWell(hub);
        return (await callsInFlight(hub)) === 0;
      },
      90_000,
      100,
    );
    expect(isDone).toBe(true);
    expect(highest - before).toBeLessThan(200 * MIB);
    let progress = 0;
    let answers = 0;
    const onLine = (line: string): void => {
      if (line.includes('notifications/progress')) progress++;
      else if (line.includes(`${STEPS} steps`)) answers++;
    };
    socket.on('data', createLineReader(onLine)).resume();
    expect(await eventually(() => answers === CALLS)).toBe(true);
    expect(progress).toBeGreaterThan(0);
    expect(progress).toBeLessThan(CALLS * STEPS);
    socket.destroy();
    await expectWell(hub);
  });

  it('over stdio may send no more requests until it reads, then gets all answers', async () => {
    await using hub = await startHub({ servers: SERVERS });
    const { value } = await hub.control('POST', 'tokens', { name: 'second' });
    const { token } = value as { token: string };
    const before = residentBytes(hub.pid);
    const socket = openPaused(hub);
    const CALLS = 400;
    for (let id = 0; id < CALLS; id++)
      socket.write(`${callText('pipe__big', { id: String(id), args: `{"bytes":${MIB}}` })}\n`);
    for (let round = 0; round < 10; round++) {
      const { messages } = await hub
        .connect(token)
        .post(callText('other__echo', { args: '{"message":"well"}' }));
      expect(textOf(parseAnswer(messages.at(-1)!))).toBe('well');
      await sleep(300);
    }
    expect(residentBytes(hub.pid) - before).toBeLessThan(400 * MIB);
    const answered = new Set<unknown>();
    const onLine = (line: string): void => void (line.startsWith('{') && answered.add(parseAnswer(line).id));
    socket.on('data', createLineReader(onLine)).resume();
    expect(await eventually(() => answered.size === CALLS, 60_000)).toBe(true);
    socket.destroy();
    await expectWell(hub);
  });

  it('and disconnects with large answers unread leaves nothing behind', async () => {
    await using hub = await startHub({ servers: SERVERS });
    await expectWell(hub);
    const before = residentBytes(hub.pid);
    for (let round = 0; round < 10; round++) {
      const clients = await Promise.all(Array.from({ length: 8 }, () => openRaw(hub.origin)));
      for (const client of clients) {
        client.socket.pause();
        client.write(postText(hub, callText('pipe__big', { args: `{"bytes":${8 * MIB}}` })));
      }
      await eventually(async () => (await callsInFlight(hub)) === 0);
      for (const client of clients) client.socket.destroy();
    }
    await expectWell(hub);
    expect(residentBytes(hub.pid) - before).toBeLessThan(640 * MIB);
  });
});

async function callsInFlight(hub: TestHub): Promise<number> {
  const { value } = await hub.control('GET', 'status');
  return (value as { callsInFlight: number }).callsInFlight;
}

describe('a child that does not read', () => {
  it('makes further calls wait, which time out as not executed; then all calls work again', async () => {
    await using hub = await startHub({
      servers: {
        pipe: stdioServer({}, { requestTimeoutMs: 2_000 }),
        other: stdioServer({ tools: ['echo'] }),
      },
      config: { limits: { maxUnsentToServerBytes: MIB } },
    });
    const pid = structuredOf(await hub.call('pipe__pid'))['pid'] as number;
    process.kill(pid, 'SIGSTOP');
    const args = JSON.stringify({ data: 'x'.repeat(MIB) });
    const sent = hub.connect().post(callText('pipe__sink', { args }));
    // The call that arrives first goes into the pipe.
    await whenInFlight(hub, 'pipe', 1);
    const also = hub.connect().post(callText('pipe__sink', { args }));
    await whenInFlight(hub, 'pipe', 2);
    const waiting = Array.from({ length: 5 }, () => hub.call('pipe__add_tool', { name: 'ran' }));
    await whenInFlight(hub, 'pipe', 7);
    await expectWell(hub);
    expect(parseAnswer((await sent).messages.at(-1)!).error?.code).toBe(-32011);
    await also;
    for (const { error } of await Promise.all(waiting))
      expect(error).toMatchObject({ code: -32010, data: { outcome: 'not_executed', code: 'CALL_TIMEOUT' } });
    process.kill(pid, 'SIGCONT');
    const isBack = await eventually(
      async () => textOf(await hub.call('pipe__echo', { message: 'on' })) === 'on',
    );
    expect(isBack).toBe(true);
    const { value } = await hub.control('GET', 'tools?server=pipe');
    expect((value as { name: string }[]).some(({ name }) => name === 'ran')).toBe(false);
  });

  it('and whose stderr is not read costs little and blocks no other server', async () => {
    await using hub = await startHub({ servers: { pipe: stdioServer() } });
    const before = residentBytes(hub.pid);
    expect(textOf(await hub.call('pipe__stderr_flood', { bytes: 64 * MIB }))).toBe(`${64 * MIB} bytes`);
    expect(residentBytes(hub.pid) - before).toBeLessThan(300 * MIB);
    expect(textOf(await hub.call('pipe__garbage'))).toBe('after the garbage');
  });
});
