/** Both eras on both surfaces to both kinds of servers, checked by the official SDK clients. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProgress } from '../kit/expect-progress.ts';
import { startHub, type TestHub } from '../kit/hub.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import type { Era } from '../servers/flags.ts';
import { connectSdk, type SdkClient } from '../servers/sdk-clients.ts';
import { startHttpServer, type RunningServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

type Server = [name: string, eras: Era[], transport: 'stdio' | 'http'];
const SERVERS: Server[] = [
  ['legacy-pipe', ['legacy'], 'stdio'],
  ['modern-pipe', ['modern'], 'stdio'],
  ['dual-pipe', ['legacy', 'modern'], 'stdio'],
  ['legacy-web', ['legacy'], 'http'],
  ['modern-web', ['modern'], 'http'],
  ['dual-web', ['legacy', 'modern'], 'http'],
  ['stateless-web', ['legacy'], 'http'],
  ['json-web', ['legacy', 'modern'], 'http'],
];
const FRONTS: [front: 'http' | 'stdio', era: Era][] = [
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
];

let web: RunningServer[];
let hub: TestHub;

beforeAll(async () => {
  web = await Promise.all([
    startHttpServer({ name: 'legacy-web', era: 'legacy' }),
    startHttpServer({ name: 'modern-web', era: 'modern' }),
    startHttpServer({ name: 'dual-web', era: 'dual' }),
    startHttpServer({ name: 'stateless-web', era: 'legacy', session: 'stateless' }),
    startHttpServer({ name: 'json-web', era: 'dual', response: 'json' }),
  ]);
  hub = await startHub({
    servers: {
      'legacy-pipe': stdioServer({ name: 'legacy-pipe', era: 'legacy' }),
      'modern-pipe': stdioServer({ name: 'modern-pipe', era: 'modern' }),
      'dual-pipe': stdioServer({ name: 'dual-pipe', era: 'dual' }),
      'legacy-web': httpServer(web[0]!.url),
      'modern-web': httpServer(web[1]!.url),
      'dual-web': httpServer(web[2]!.url),
      'stateless-web': httpServer(web[3]!.url),
      'json-web': httpServer(web[4]!.url),
    },
  });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await Promise.all(web.map((server) => server.stop()));
});

const open = (front: 'http' | 'stdio', era: Era): Promise<SdkClient> =>
  front === 'stdio'
    ? connectSdk(era, hub.stdioProgram())
    : connectSdk(era, hub.url, { authorization: `Bearer ${hub.token}` });

describe.each(FRONTS)('%s front, %s SDK client', (front, era) => {
  it('lists the tools of all servers', async () => {
    await using client = await open(front, era);
    const names = await client.listTools();
    for (const [server] of SERVERS) expect(names).toContain(`${server}__echo`);
    expect(names).toHaveLength(SERVERS.length * 22);
  });

  it.each(SERVERS)('calls %s %j', async (server, eras, transport) => {
    verifies('004-4.3-json', '004-4.3-sse', '004-11.2-response-forms');
    await using client = await open(front, era);
    const call = (tool: string, args: Record<string, unknown>) => client.callTool(`${server}__${tool}`, args);
    expect(await call('echo', { message: 'héllo 🦀' })).toMatchObject({ text: 'héllo 🦀', isError: false });
    expect(await call('add', { a: 2, b: 3 })).toMatchObject({ text: '5', structured: { sum: 5 } });
    expect(await call('fail', { message: 'no' })).toMatchObject({ text: 'no', isError: true });
    await expect(call('rpc_error', { code: -32077, message: 'go away' })).rejects.toMatchObject({
      code: -32077,
    });
    await expect(call('nowhere', {})).rejects.toMatchObject({ code: -32602 });
    const spoken = eras.includes(era) ? era : eras[0];
    expect((await call('whoami', {})).structured).toMatchObject({ name: server, transport, era: spoken });
  });

  it.each(SERVERS)('receives the progress of %s', async (server) => {
    await using client = await open(front, era);
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
    const args = { steps: 5, everyMs: 20 };
    expect((await client.callTool(`${server}__progress`, args, { onprogress })).text).toBe('5 steps');
    if (server === 'json-web') expect(seen).toEqual([]);
    else expectProgress(seen, 5);
  });

  it.each(SERVERS)('cancels at %s', async (server, eras, transport) => {
    await using client = await open(front, era);
    const count = async (): Promise<number> =>
      ((await client.callTool(`${server}__cancelled`, {})).structured as { count: number }).count;
    const before = await count();
    const abort = new AbortController();
    const slow = client.callTool(`${server}__slow`, { ms: 60_000 }, { signal: abort.signal });
    slow.catch(() => {});
    setTimeout(() => abort.abort('changed my mind'), 200);
    await expect(slow).rejects.toThrow();
    await expect.poll(count, { timeout: 10_000 }).toBe(before + 1);
    const { calls } = (await client.callTool(`${server}__cancelled`, {})).structured as {
      calls: { via: string }[];
    };
    const isModern = eras.includes(era) ? era === 'modern' : eras[0] === 'modern';
    expect(calls.at(-1)?.via).toBe(isModern && transport === 'http' ? 'closed' : 'notification');
    expect((await client.callTool(`${server}__echo`, { message: 'next' })).text).toBe('next');
  });
});
