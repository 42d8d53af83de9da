/** Which clients share a connection to a server. */
import { expect, it } from 'vitest';
import type { Connection } from '../kit/http.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, INITIALIZE, parseAnswer, structuredOf, type Headers } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';
import { descendants } from '../kit/processes.ts';
import { verifies } from '../verifies.ts';

async function begin(connection: Connection): Promise<Headers> {
  return { 'mcp-session-id': String((await connection.post(INITIALIZE)).headers['mcp-session-id']) };
}

/** The process that answers, or the error's code. */
async function pidFor(connection: Connection, headers: Headers = {}): Promise<unknown> {
  const answer = parseAnswer((await connection.post(callText('pipe__pid'), { headers })).messages.at(-1)!);
  return answer.error?.code ?? structuredOf(answer)['pid'];
}

const start = (isolation: string, limits: object = {}): Promise<TestHub> =>
  startHub({ servers: { pipe: stdioServer({}, { isolation }) }, config: { limits } });

async function guest(hub: TestHub, name: string): Promise<Connection> {
  const { value } = await hub.control('POST', 'tokens', { name });
  return hub.connect((value as { token: string }).token);
}

it('all clients share one process by default, across sessions, credentials and surfaces', async () => {
  verifies('004-3.1-one-connection', '004-1-live-connection');
  await using hub = await start('shared');
  const [one, two] = [hub.connect(), await guest(hub, 'guest')];
  const pids = new Set([
    await pidFor(one),
    await pidFor(one, await begin(one)),
    await pidFor(two, await begin(two)),
    structuredOf(parseAnswer(await hub.stdio().ask(callText('pipe__pid'))))['pid'],
  ]);
  expect(pids.size).toBe(1);
});

it('isolation by caller: one process for each credential', async () => {
  await using hub = await start('caller');
  const [one, two] = [hub.connect(), await guest(hub, 'guest')];
  const [first, second] = [await pidFor(one), await pidFor(two)];
  expect(first).not.toBe(second);
  expect(await pidFor(one, await begin(one))).toBe(first);
  expect(await pidFor(two, await begin(two))).toBe(second);
});

it('isolation by session: one process for each session, up to the limit', async () => {
  await using hub = await start('session', { maxOwnConnections: 3 });
  const connection = hub.connect();
  const sessions = await Promise.all(Array.from({ length: 5 }, () => begin(connection)));
  const pids = new Set<unknown>();
  for (const headers of sessions) {
    const pid = await pidFor(connection, headers);
    expect(await pidFor(connection, headers)).toBe(pid);
    pids.add(pid);
  }
  expect(pids.size).toBe(5);
  await expect.poll(() => descendants(hub.pid).length).toBeLessThanOrEqual(4);
  const busy = sessions
    .slice(0, 3)
    .map((headers) => hub.connect().post(callText('pipe__slow', { args: '{"ms":1500}' }), { headers }));
  await expect
    .poll(async () => ((await hub.control('GET', 'status')).value as { callsInFlight: number }).callsInFlight)
    .toBe(3);
  expect(await pidFor(connection, sessions[4])).toBe(-32010);
  for (const { status } of await Promise.all(busy)) expect(status).toBe(200);
  expect(await pidFor(connection, sessions[4])).toBeTypeOf('number');
});
