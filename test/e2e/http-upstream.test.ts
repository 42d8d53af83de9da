/** Servers over HTTP that stop and return. */
import { describe, expect, it } from 'vitest';
import { startHub } from '../kit/hub.ts';
import { structuredOf, textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { serverStatus, whenInFlight } from '../kit/status.ts';
import type { Era } from '../servers/flags.ts';
import { startHttpServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

// Each test has its own hub, and mostly waits.
describe.concurrent.each<[Era, 'json' | 'sse']>([
  ['legacy', 'json'],
  ['legacy', 'sse'],
  ['modern', 'json'],
  ['modern', 'sse'],
])('a %s server that answers with %s', (era, response) => {
  it('that stops: calls in flight end as unknown, later ones are not sent, and all work when it is back', async () => {
    verifies('004-3.1-reconnect');
    const first = await startHttpServer({ era, response });
    await using hub = await startHub({
      servers: { web: httpServer(first.url), other: stdioServer({ tools: ['echo'] }) },
    });
    expect(textOf(await hub.call('web__echo', { message: 'x' }))).toBe('x');
    const lost = hub.call('web__slow', { ms: 600_000 }, { era });
    await whenInFlight(hub, 'web', 1);
    await first.stop();
    expect((await lost).error).toMatchObject({ code: -32011, data: { outcome: 'outcome_unknown' } });
    const refused = await hub.call('web__echo', { message: 'x' }, { era });
    expect(refused.error).toMatchObject({ code: -32010, data: { outcome: 'not_executed' } });
    expect(textOf(await hub.call('other__echo', { message: 'well' }))).toBe('well');
    await using _second = await startHttpServer({ era, response, port: Number(new URL(first.url).port) });
    const isBack = await eventually(
      async () => textOf(await hub.call('web__echo', { message: 'back' }, { era })) === 'back',
    );
    expect(isBack).toBe(true);
  });
});

it('reports an unreachable server, and the others work', async () => {
  await using hub = await startHub({
    servers: { web: httpServer('http://127.0.0.1:9/mcp'), other: stdioServer({ tools: ['echo'] }) },
  });
  expect(textOf(await hub.call('other__echo', { message: 'well' }))).toBe('well');
  verifies('004-10-unreachable-state');
  const status = await serverStatus(hub, 'web');
  expect(status.state).toBe('backoff');
  expect(status.error?.message).toContain('ECONNREFUSED');
});

it("sends a server its configured headers and none of the caller's", async () => {
  verifies('004-4.2-content-type', '004-4.2-accept', '004-9.1-bearer', '004-12.1-api-key');
  verifies('004-4.4-session-stored', '004-5.5-no-passthrough');
  await using stateful = await startHttpServer({});
  await using stateless = await startHttpServer({ session: 'stateless' });
  await using hub = await startHub({
    servers: {
      stateful: httpServer(stateful.url, { apiKey: 'key-of-the-server' }),
      stateless: httpServer(stateless.url, { headers: { 'X-Mine': 'yes' } }),
    },
  });
  const seenBy = async (server: string) =>
    structuredOf(await hub.call(`${server}__whoami`, {}, { headers: { 'x-caller': 'secret' } })) as {
      session?: string;
      headers: Record<string, string>;
    };
  const one = await seenBy('stateful');
  expect(one.session).toBeTypeOf('string');
  expect(one.headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: 'Bearer key-of-the-server',
    'mcp-session-id': one.session,
  });
  const two = await seenBy('stateless');
  expect(two.headers).toMatchObject({ 'x-mine': 'yes' });
  expect(two.headers).not.toHaveProperty('mcp-session-id');
  for (const seen of [one, two]) {
    expect(seen.headers).not.toHaveProperty('x-caller');
    expect(JSON.stringify(seen)).not.toContain(hub.token);
  }
});

it('ignores lines and events that are not messages', async () => {
  verifies('004-10-malformed');
  await using web = await startHttpServer({});
  await using hub = await startHub({ servers: { web: httpServer(web.url), pipe: stdioServer() } });
  for (const server of ['web', 'pipe']) {
    expect(textOf(await hub.call(`${server}__garbage`))).toBe('after the garbage');
    expect(textOf(await hub.call(`${server}__echo`, { message: 'on' }))).toBe('on');
  }
});
