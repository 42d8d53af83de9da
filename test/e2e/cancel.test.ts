import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, INITIALIZE, modernHeaders, parseAnswer, structuredOf, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';
import type { Era } from '../servers/flags.ts';
import { startHttpServer, type RunningServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

const SLOW = '{"ms":600000}';
const SERVERS: [server: string, era: Era, via: string][] = [
  ['legacy-pipe', 'legacy', 'notification'],
  ['modern-pipe', 'modern', 'notification'],
  ['legacy-web', 'legacy', 'notification'],
  ['modern-web', 'modern', 'closed'],
];

let web: RunningServer[];
let hub: TestHub;

const configure = (settings: object): Record<string, object> => ({
  'legacy-pipe': stdioServer({ era: 'legacy' }, settings),
  'modern-pipe': stdioServer({ era: 'modern' }, settings),
  'legacy-web': httpServer(web[0]!.url, settings),
  'modern-web': httpServer(web[1]!.url, settings),
});

beforeAll(async () => {
  web = [await startHttpServer({ era: 'legacy' }), await startHttpServer({ era: 'modern' })];
  hub = await startHub({ servers: configure({}) });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  for (const server of web) await server.stop();
});

interface Seen {
  count: number;
  calls: { tool: string; via: string; reason: string | null }[];
  stray: string[];
}

/** The cancellations that the server has seen so far. */
const seenBy = async (at: TestHub, server: string): Promise<Seen> =>
  structuredOf(await at.call(`${server}__cancelled`)) as unknown as Seen;

/** Expects that the action cancels one more call at the server, in the way of its transport. */
async function expectCancelled(at: TestHub, server: string, action: () => Promise<unknown>): Promise<void> {
  const before = await seenBy(at, server);
  await action();
  const isSeen = async (): Promise<boolean> => (await seenBy(at, server)).count > before.count;
  expect(await eventually(isSeen, 10_000)).toBe(true);
  const after = await seenBy(at, server);
  expect(after.count).toBe(before.count + 1);
  const [, , via] = SERVERS.find(([name]) => name === server)!;
  expect(after.calls.at(-1)).toMatchObject({ tool: 'slow', via });
  expect(after.stray).toEqual(before.stray);
  expect(textOf(await at.call(`${server}__echo`, { message: 'next' }))).toBe('next');
}

describe.each(SERVERS)('%s', (server, era) => {
  const tool = `${server}__slow`;
  const headers = era === 'modern' ? modernHeaders('tools/call', tool) : {};

  it('is told to cancel when an HTTP client disconnects', async () => {
    await expectCancelled(hub, server, async () => {
      const connection = hub.connect();
      const answer = connection.post(callText(tool, { era, args: SLOW }), { headers });
      answer.catch(() => {});
      await whenInFlight(hub, server, 1);
      await connection.destroy();
      await expect(answer).rejects.toThrow();
    });
  });

  it('is told to cancel when a client with an open stream disconnects', async () => {
    await expectCancelled(hub, server, async () => {
      const connection = hub.connect();
      const body = callText(tool, { era, args: SLOW, meta: '"progressToken":1' });
      const answer = connection.post(body, { headers, path: '/mcp' });
      answer.catch(() => {});
      await whenInFlight(hub, server, 1);
      await connection.destroy();
      await expect(answer).rejects.toThrow();
    });
  });

  it('is told to cancel when a stdio client cancels', async () => {
    await expectCancelled(hub, server, async () => {
      const client = hub.stdio();
      client.send(callText(tool, { era, id: '"é7"', args: SLOW }));
      await whenInFlight(hub, server, 1);
      client.send(
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"é7","reason":"ünwanted"}}',
      );
      await whenInFlight(hub, server, 0);
      const echo = callText(`${server}__echo`, { era, id: '"é7"', args: '{"message":"same id again"}' });
      expect(await client.ask(echo)).toMatch(/same id again|CALL_CANCELLED/);
    });
  });

  it('is told to cancel when a stdio client is killed', async () => {
    await expectCancelled(hub, server, async () => {
      const client = hub.stdio();
      client.send(callText(tool, { era, args: SLOW }));
      await whenInFlight(hub, server, 1);
      await client[Symbol.asyncDispose]();
    });
  });
});

describe('notifications/cancelled in a legacy session', () => {
  const begin = async (): Promise<{ 'mcp-session-id': string }> => ({
    'mcp-session-id': String((await hub.post(INITIALIZE)).headers['mcp-session-id']),
  });
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}';

  it.each(['legacy-pipe', 'legacy-web'])("ends only that session's call at %s", async (server) => {
    const [mine, other] = [await begin(), await begin()];
    await expectCancelled(hub, server, async () => {
      const answer = hub
        .connect()
        .post(callText(`${server}__slow`, { id: '7', args: SLOW }), { headers: mine });
      const kept = hub
        .connect()
        .post(callText(`${server}__slow`, { id: '7', args: '{"ms":1500}' }), { headers: other });
      await whenInFlight(hub, server, 2);
      expect((await hub.post(cancel, { headers: mine })).status).toBe(202);
      const ended = await answer;
      if (ended.messages.length > 0)
        expect(parseAnswer(ended.messages.at(-1)!).error?.data).toMatchObject({ code: 'CALL_CANCELLED' });
      expect(textOf(parseAnswer((await kept).messages.at(-1)!))).toBe('waited 1500 ms');
    });
  });

  it('with an unknown id, or without a session, ends nothing', async () => {
    const mine = await begin();
    const answer = hub
      .connect()
      .post(callText('legacy-pipe__slow', { id: '7', args: '{"ms":800}' }), { headers: mine });
    await whenInFlight(hub, 'legacy-pipe', 1);
    expect((await hub.post(cancel)).status).toBe(202);
    expect((await hub.post(cancel.replace('7', '"7"'), { headers: mine })).status).toBe(202);
    expect(textOf(parseAnswer((await answer).messages.at(-1)!))).toBe('waited 800 ms');
  });
});

// All servers at once, because these tests mostly wait.
describe('a deadline without progress', () => {
  let short: TestHub;
  beforeAll(async () => {
    short = await startHub({ servers: configure({ requestTimeoutMs: 1_500 }) });
  });
  afterAll(() => short[Symbol.asyncDispose]());

  it.concurrent.each(SERVERS)(
    'cancels at %s and reports that the outcome is unknown',
    async (server, era) => {
      verifies('004-10-timeout', '004-10-timeout-cancelled');
      await expectCancelled(short, server, async () => {
        const { error } = await short.call(`${server}__slow`, { ms: 600_000 }, { era });
        expect(error).toMatchObject({
          code: -32011,
          data: { code: 'CALL_TIMEOUT', outcome: 'outcome_unknown' },
        });
      });
    },
  );
});

describe('a deadline', () => {
  let short: TestHub;
  beforeAll(async () => {
    short = await startHub({ servers: configure({ requestTimeoutMs: 1_000 }) });
  });
  afterAll(() => short[Symbol.asyncDispose]());

  it.concurrent.each(SERVERS)('is extended by progress from %s', async (server, era) => {
    const args = { steps: 12, everyMs: 200 };
    const answer = await short.call(`${server}__progress`, args, { era, meta: '"progressToken":"p"' });
    expect(textOf(answer)).toBe('12 steps');
    const silent = await short.call(`${server}__progress`, args, { era });
    expect(silent.error).toMatchObject({ code: -32011, data: { code: 'CALL_TIMEOUT' } });
    expect(textOf(await short.call(`${server}__echo`, { message: 'next' }, { era }))).toBe('next');
  });
});
