/** Sessions that outlive the hub, bridges that reconnect, and the outcomes of calls that were in flight. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { closeOf, openBridge, resultFor, type Frame } from '../kit/proxy/bridge.ts';
import { callTool, listTools } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, startProxy } from '../kit/proxy/proxy.ts';
import { anyTool, createSession, deleteSession, EXAMPLE } from '../kit/proxy/sessions.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { startSeedApp } from '../servers/seed-app.ts';
import { verifies } from '../verifies.ts';

const GRACE_MS = 2_500;
const limits = { bridgeGraceMs: GRACE_MS };
const tools = [anyTool('any')];
const HELLO = {
  type: 'hello',
  version: 1,
  features: ['progress', 'cancel', 'chunks', 'tools_changed', 'media'],
};

describe.each(['proxy', 'up'] as const)('`pincer %s` after a kill and a restart', (command) => {
  it('keeps its sessions, the app reconnects by itself, and a call in flight ran once', async () => {
    verifies('003-bridge-reconnect', '003-forward-stored');
    using folder = temporaryFolder('proxy-restart');
    const options = { command, folder: folder.path, port: await freePort(), limits };
    const first = await startProxy(options);
    const ran: string[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await using app = await startSeedApp({
      url: first.origin,
      token: APP_TOKEN,
      tools: {
        note: {
          description: 'Notes a word.',
          inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
          async run(args) {
            const { word } = args as { word: string };
            ran.push(word);
            if (word === 'held') await held;
            return { noted: word };
          },
        },
      },
    });
    const deleted = await createSession(first.origin);
    await deleteSession(first.origin, deleted.mcpSessionId);
    const idle = await createSession(first.origin, { ...EXAMPLE, tools });
    const note = async (word: string): Promise<unknown> =>
      (await callTool(app.mcpUrl, 'note', { word })).answer.result?.['structuredContent'];
    expect(await note('before')).toEqual({ noted: 'before' });

    const cut = callTool(app.mcpUrl, 'note', { word: 'held' }).then(
      ({ answer }) => answer.error?.data?.['outcome'],
      () => 'cut',
    );
    expect(await eventually(() => ran.includes('held'))).toBe(true);
    await first.kill9();
    expect(await cut).toBe('cut');

    await using second = await startProxy(options);
    expect((await listTools(idle.mcp_url)).map(({ name }) => name)).toEqual(['any']);
    expect((await deleteSession(second.origin, deleted.mcpSessionId)).status).toBe(404);
    expect(await eventually(() => app.connections() === 2 && app.isConnected())).toBe(true);
    expect(await eventually(async () => (await note('after')) !== undefined)).toBe(true);
    expect((await listTools(app.mcpUrl)).map(({ name }) => name)).toEqual(['note']);
    release();
    // The late answer to a call of the killed hub is dropped without harm.
    await sleep(50);
    expect(await note('last')).toEqual({ noted: 'last' });
    expect(ran.filter((word) => word === 'held')).toHaveLength(1);
    expect(ran.filter((word) => word === 'after')).toHaveLength(1);
  });
});

it('a stopping hub tells its bridges, and epochs grow across the restart', async () => {
  using folder = temporaryFolder('proxy-restart');
  const options = { folder: folder.path, port: await freePort(), limits };
  const first = await startProxy(options);
  const { bridge_url, mcp_url } = await createSession(first.origin, { ...EXAMPLE, tools });
  const bridge = await openBridge(bridge_url);
  bridge.send(HELLO);
  const { epoch } = await bridge.next('welcome');
  expect(await first.stop()).toBe(0);
  expect((await bridge.closed).code).toBe(1012);
  await using second = await startProxy(options);
  await using back = await openBridge(bridge_url);
  back.send(HELLO);
  expect((await back.next('welcome'))['epoch']).toBeGreaterThan(Number(epoch));
  const call = callTool(mcp_url, 'any');
  back.send(resultFor(await back.next('invoke_tool'), second.port));
  expect(textOf((await call).answer)).toBe(String(second.port));
  // The first bridge proved a credential, so a bridge without one is refused.
  expect((await closeOf(bridge_url, {})).code).toBe(4401);
});

it('a session is kept once its creation was answered, even if the hub is killed at once', async () => {
  verifies('003-forward-stored');
  using folder = temporaryFolder('proxy-restart');
  const options = { folder: folder.path, port: await freePort(), limits };
  const first = await startProxy(options);
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      createSession(first.origin, { ...EXAMPLE, tools: [anyTool(`t${n}`)] }),
    ),
  );
  await first.kill9();
  await using _second = await startProxy(options);
  for (const [n, { mcp_url }] of made.entries())
    expect((await listTools(mcp_url)).map(({ name }) => name)).toEqual([`t${n}`]);
});

it('after a restart, a call for an app that says hello waits for it; another credential does not get its session', async () => {
  using folder = temporaryFolder('proxy-restart');
  const options = { folder: folder.path, port: await freePort(), limits: { bridgeGraceMs: 20_000 } };
  const first = await startProxy(options);
  const { bridge_url, mcp_url } = await createSession(first.origin, { ...EXAMPLE, tools });
  const bridge = await openBridge(bridge_url);
  bridge.send(HELLO);
  await bridge.next('welcome');
  await first.kill9();

  const env = { OPENCLAW_PROXY_APP_TOKEN: 'another-token' };
  const second = await startProxy({ ...options, env });
  expect((await closeOf(bridge_url, { token: 'another-token' })).code).toBe(4401);
  expect((await closeOf(bridge_url)).code).toBe(4401);
  await second.stop();

  await using _third = await startProxy(options);
  const waiting = callTool(mcp_url, 'any', { n: 1 });
  await sleep(200);
  await using back = await openBridge(bridge_url);
  back.send(resultFor(await back.next('invoke_tool'), 'waited for'));
  expect(textOf((await waiting).answer)).toBe('"waited for"');
});

describe('an app that said hello', () => {
  it('is waited for: an unsent call runs when the bridge is back, or certainly did not run', async () => {
    await using proxy = await startProxy({ limits });
    const { bridge_url, mcp_url } = await createSession(proxy.origin, { ...EXAMPLE, tools });
    const bridge = await openBridge(bridge_url);
    bridge.send(HELLO);
    await bridge.next('welcome');
    await bridge.close();

    const waiting = callTool(mcp_url, 'any', { n: 1 });
    await sleep(GRACE_MS / 5);
    const back = await openBridge(bridge_url);
    back.send(HELLO);
    const invoke = await back.next('invoke_tool');
    back.send(resultFor(invoke, invoke.arguments));
    expect((await waiting).answer.result).toMatchObject({ structuredContent: { n: 1 } });

    // The call was sent before the bridge was cut, so its outcome is unknown.
    const sent = callTool(mcp_url, 'any', { n: 2 });
    await back.next('invoke_tool');
    back.socket.terminate();
    expect((await sent).answer.error).toMatchObject({
      code: -32011,
      data: { code: 'BRIDGE_LOST', outcome: 'outcome_unknown' },
    });

    const inVain = callTool(mcp_url, 'any', { n: 3 });
    expect((await inVain).answer.error).toMatchObject({
      code: -32010,
      message: expect.stringContaining('Bridge is not connected') as string,
      data: { code: 'BRIDGE_NOT_CONNECTED', outcome: 'not_executed' },
    });
    // Neither call is sent to the next bridge.
    await using last = await openBridge(bridge_url);
    last.send(HELLO);
    await last.next('welcome');
    const call = callTool(mcp_url, 'any', { n: 4 });
    expect((await last.next('invoke_tool')).arguments).toEqual({ n: 4 });
    last.send(
      resultFor(
        last.frames.findLast(({ type }) => type === 'invoke_tool')!,
        'four',
      ),
    );
    expect(textOf((await call).answer)).toBe('"four"');
  });

  it('is told when a second bridge replaces it, and calls sent to the first are not sent again', async () => {
    await using proxy = await startProxy({ limits });
    const { bridge_url, mcp_url } = await createSession(proxy.origin, { ...EXAMPLE, tools });
    await using first = await openBridge(bridge_url);
    first.send(HELLO);
    const { epoch } = await first.next('welcome');
    const sent = callTool(mcp_url, 'any', { n: 1 });
    await first.next('invoke_tool');
    await using second = await openBridge(bridge_url);
    second.send(HELLO);
    expect((await second.next('welcome'))['epoch']).toBe(Number(epoch) + 1);
    expect(await first.next('replaced')).toEqual({
      type: 'replaced',
      message: expect.stringMatching(/\.$/) as string,
    });
    expect((await first.closed).code).toBe(4409);
    expect((await sent).answer.error).toMatchObject({
      data: { outcome: 'outcome_unknown', code: 'BRIDGE_LOST' },
    });
    const call = callTool(mcp_url, 'any', { n: 2 });
    second.send(resultFor(await second.next('invoke_tool'), 'second'));
    expect(textOf((await call).answer)).toBe('"second"');
    expect(second.frames.filter(({ type }) => type === 'invoke_tool')).toHaveLength(1);
  });
});

describe.each([false, true])('an app whose bridge reconnects all the time (hello: %s)', (saysHello) => {
  const CALLS = 600;

  it('ran exactly the calls that were reported as run, once', async () => {
    await using proxy = await startProxy({ limits: { bridgeGraceMs: 5, appSessionBurst: 100_000 } });
    const { bridge_url, mcp_url } = await createSession(proxy.origin, { ...EXAMPLE, tools });
    const ran: number[] = [];
    const ended = new AbortController();

    async function connectFor(round: number): Promise<void> {
      const bridge = await openBridge(bridge_url);
      bridge.socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Frame;
        if (frame.type !== 'invoke_tool') return;
        const { n } = frame.arguments as { n: number };
        ran.push(n);
        setTimeout(() => bridge.send(resultFor(frame, { n })), n % 6);
      });
      if (saysHello) bridge.send(HELLO);
      await sleep((round * 7) % 25);
      // Every third bridge stays until the next one replaces it.
      if (round % 3 === 0) bridge.socket.terminate();
      if (round % 3 === 1) await bridge.close();
      await sleep((round * 5) % 8);
    }

    const app = (async () => {
      for (let round = 0; !ended.signal.aborted; round++) await connectFor(round);
    })();
    const said = new Map<number, unknown>();
    let begun = 0;
    const work = async (): Promise<void> => {
      for (let n = begun++; n < CALLS; n = begun++) {
        const { answer } = await callTool(mcp_url, 'any', { n });
        if (answer.result !== undefined) expect(answer.result['structuredContent']).toEqual({ n });
        said.set(n, answer.error?.data?.['outcome'] ?? 'ok');
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    ended.abort();
    await app;
    for (const [n, outcome] of said) {
      const times = ran.filter((each) => each === n).length;
      if (outcome === 'ok') expect([n, times]).toEqual([n, 1]);
      else if (outcome === 'not_executed') expect([n, times]).toEqual([n, 0]);
      else expect([outcome, times <= 1]).toEqual(['outcome_unknown', true]);
    }
    // Otherwise the test would have shown little.
    expect([...said.values()]).toEqual(expect.arrayContaining(['ok', 'outcome_unknown']));
  });
});
