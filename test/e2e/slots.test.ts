/** How many calls may run at once, and that every kind of end frees the slot. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, parseAnswer, request, textOf } from '../kit/messages.ts';
import { openRaw, postText } from '../kit/raw-socket.ts';
import { stdioServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';

const SLOTS = 2;
const GOOD = callText('pipe__echo', { args: '{"message":"well"}' });
const slowText = (ms: number, id = '1'): string => callText('pipe__slow', { id, args: `{"ms":${ms}}` });

const start = (limits: object): Promise<TestHub> =>
  startHub({
    servers: { pipe: stdioServer() },
    config: { limits: { maxCallsPerCredential: SLOTS, ...limits } },
  });

/** Checks that all slots can be used at the same time. */
async function expectAllFree(hub: TestHub): Promise<void> {
  const all = await Promise.all(Array.from({ length: SLOTS }, () => hub.connect().post(slowText(100))));
  expect(all.map(({ status }) => status)).toEqual(Array.from({ length: SLOTS }, () => 200));
}

it('returns 503 without a free slot, an error on stdio, and works when a slot is free', async () => {
  await using hub = await start({});
  const slow = Array.from({ length: SLOTS }, () => hub.connect().post(slowText(1_500)));
  await whenInFlight(hub, 'pipe', SLOTS);
  await using connection = hub.connect();
  const reply = await connection.post(GOOD);
  expect([reply.status, parseAnswer(reply.body).error?.code]).toEqual([503, -32010]);
  expect(reply.headers['retry-after']).toBeDefined();
  const stdio = hub.stdio();
  expect(parseAnswer(await stdio.ask(GOOD)).error?.code).toBe(-32010);
  expect(await stdio.ask(request('ping'))).toContain('"result":{}');
  const { value } = await hub.control('POST', 'tokens', { name: 'other' });
  const other = await hub.connect((value as { token: string }).token).post(GOOD);
  expect(textOf(parseAnswer(other.messages.at(-1)!))).toBe('well');
  for (const answer of await Promise.all(slow))
    expect(textOf(parseAnswer(answer.messages.at(-1)!))).toBe('waited 1500 ms');
  expect(textOf(parseAnswer((await connection.post(GOOD)).messages.at(-1)!))).toBe('well');
  expect(textOf(parseAnswer(await stdio.ask(GOOD)))).toBe('well');
});

it('a client that disconnects while it waits for a slot takes none', async () => {
  await using hub = await start({ slotWaitMs: 3_000 });
  const slow = Array.from({ length: SLOTS }, () => hub.connect().post(slowText(1_000)));
  await whenInFlight(hub, 'pipe', SLOTS);
  for (let waiting = 0; waiting < 4; waiting++) {
    const raw = await openRaw(hub.origin);
    raw.write(postText(hub, callText('pipe__add_tool', { args: '{"name":"ran"}' })));
    await sleep(50);
    raw.socket.destroy();
  }
  const stdio = hub.stdio();
  stdio.send(callText('pipe__add_tool', { args: '{"name":"ran"}' }));
  await sleep(200);
  await stdio[Symbol.asyncDispose]();
  await Promise.all(slow);
  await expectAllFree(hub);
  const { value } = await hub.control('GET', 'tools?server=pipe');
  expect((value as { name: string }[]).some(({ name }) => name === 'ran')).toBe(false);
});

it('every kind of end frees the slot', async () => {
  await using hub = await start({ maxMessageBytes: 50_000, bodyTimeoutMs: 300 });
  for (let round = 0; round < SLOTS + 1; round++) {
    await hub.post('no JSON');
    await hub.post('x'.repeat(60_000)).catch(() => undefined);
    await hub.connect().post(GOOD, { headers: { 'content-type': 'text/plain' } });
    await hub.call('pipe__nowhere');
    await hub.call('pipe__rpc_error', { code: -32000, message: 'no' });
    const late = await openRaw(hub.origin);
    late.write(postText(hub, '{', ['Content-Length: 100']));
    expect((await late.response())?.status).toBe(408);
    const cut = await openRaw(hub.origin);
    cut.write(postText(hub, '{', ['Content-Length: 100']));
    const gone = await openRaw(hub.origin);
    gone.write(postText(hub, slowText(60_000)));
    await whenInFlight(hub, 'pipe', 1);
    cut.socket.destroy();
    gone.socket.destroy();
    await whenInFlight(hub, 'pipe', 0);
    const stdio = hub.stdio();
    stdio.send(slowText(60_000, '7'));
    await whenInFlight(hub, 'pipe', 1);
    stdio.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}');
    await whenInFlight(hub, 'pipe', 0);
    await expectAllFree(hub);
  }
});
