/** The bridge of seed 003: exact frames, results in any order, heartbeats, and what remains after it disconnects. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../kit/messages.ts';
import { eventually } from '../kit/processes.ts';
import { closeOf, openBridge, resultFor, type Frame, type TestBridge } from '../kit/proxy/bridge.ts';
import { callTool, type McpReply } from '../kit/proxy/mcp.ts';
import { APP_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { anyTool, createSession, EXAMPLE, type CreatedSession } from '../kit/proxy/sessions.ts';
import { verifies } from '../verifies.ts';

const limits = { bridgePingMs: 200, bridgeSilenceMs: 3_000 };

let proxy: TestProxy;
beforeAll(async () => {
  proxy = await startProxy({ limits });
});
afterAll(() => proxy[Symbol.asyncDispose]());

const anySession = (): Promise<CreatedSession> =>
  createSession(proxy.origin, { ...EXAMPLE, tools: [anyTool('any')] });

const hasOpen = async (): Promise<CreatedSession & { bridge: TestBridge }> => {
  const session = await anySession();
  return { ...session, bridge: await openBridge(session.bridge_url) };
};

/** One call that the app answers like this. */
async function answered(rest: object | string): Promise<McpReply> {
  const { bridge, mcp_url } = await hasOpen();
  await using _bridge = bridge;
  const call = callTool(mcp_url, 'any');
  const invoke = await bridge.next('invoke_tool');
  const { mcpSessionId, request_id } = invoke;
  bridge.send(
    typeof rest === 'string'
      ? rest.replace('ID', `"mcpSessionId":"${mcpSessionId}","request_id":"${request_id}"`)
      : { type: 'invoke_result', mcpSessionId, request_id, ...rest },
  );
  return await call;
}

describe('a call', () => {
  it('is one frame of exactly these members, in this order', async () => {
    verifies('003-bridge-invoke-tool', '003-bridge-connect');
    const { bridge, mcp_url, mcpSessionId } = await hasOpen();
    await using _bridge = bridge;
    const call = callTool(mcp_url, 'any', '{"text":"hello"}');
    const invoke = await bridge.next('invoke_tool');
    expect(bridge.texts.find((text) => text.includes('invoke_tool'))).toBe(
      `{"type":"invoke_tool","mcpSessionId":"${mcpSessionId}","request_id":"${invoke.request_id}","tool_name":"any","arguments":{"text":"hello"}}`,
    );
    bridge.send(resultFor(invoke, null));
    expect((await call).answer.result).toMatchObject({ isError: false });
  });

  it("has an id of 128 random bits that is never reused, regardless of the callers' ids", async () => {
    verifies('003-bridge-request-id');
    const { bridge, mcp_url } = await hasOpen();
    await using _bridge = bridge;
    bridge.socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.type === 'invoke_tool') bridge.send(resultFor(frame, frame.arguments));
    });
    const calls = Array.from({ length: 60 }, (_, n) => callTool(mcp_url, 'any', { n }, { id: '1' }));
    for (const [n, { answer }] of (await Promise.all(calls)).entries())
      expect(answer).toMatchObject({ id: 1, result: { structuredContent: { n } } });
    const ids = bridge.frames
      .filter(({ type }) => type === 'invoke_tool')
      .map(({ request_id }) => request_id!);
    expect(new Set(ids).size).toBe(60);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$|^[\w-]{22}$/);
  });

  it.each([
    '{}',
    '{"n":99999999999999999999,"m":-0.10,"e":1e400}',
    '{"text":"grüß 世界 🦀","same":"\\u00fc\\ud83e\\udd80\\n\\/"}',
    '{ "spaces" : [ 1 , 2 ] ,\t"Key":1,"key":2,"KEY":3 }',
    '{"__proto__":1,"constructor":{"prototype":[]},"":""}',
    '{"deep":[[[[[[[[[[{"a":[null,true,false]}]]]]]]]]]]}',
  ])('carries the arguments %s unchanged', async (args) => {
    verifies('003-bridge-arguments');
    const { bridge, mcp_url } = await hasOpen();
    await using _bridge = bridge;
    const call = callTool(mcp_url, 'any', args);
    const invoke = await bridge.next('invoke_tool');
    const text = bridge.texts.find((each) => each.includes('"invoke_tool"'))!;
    expect(text.endsWith(`,"arguments":${args}}`), text).toBe(true);
    bridge.send(resultFor(invoke, 'done'));
    expect(textOf((await call).answer)).toBe('"done"');
  });
});

describe('results', () => {
  it('may arrive in any order, and each reaches its caller', async () => {
    verifies('003-bridge-result-matching', '003-bridge-invoke-result');
    const { bridge, mcp_url } = await hasOpen();
    await using _bridge = bridge;
    const calls = Array.from({ length: 8 }, (_, n) => callTool(mcp_url, 'any', { n }, { id: '7' }));
    const invokes: Frame[] = [];
    for (const _call of calls) invokes.push(await bridge.next('invoke_tool'));
    for (const invoke of invokes.toReversed()) bridge.send(resultFor(invoke, invoke.arguments));
    for (const [n, { answer }] of (await Promise.all(calls)).entries())
      expect(answer.result?.['structuredContent']).toEqual({ n });
  });

  it('right before a close are delivered', async () => {
    for (let round = 0; round < 10; round++) {
      const { bridge, mcp_url } = await hasOpen();
      const calls = Array.from({ length: 3 }, (_, n) => callTool(mcp_url, 'any', { n }));
      for (const _call of calls) await bridge.next('invoke_tool');
      for (const frame of bridge.frames)
        if (frame.type === 'invoke_tool') bridge.send(resultFor(frame, frame.arguments));
      bridge.socket.close(1000);
      for (const [n, { answer }] of (await Promise.all(calls)).entries())
        expect(answer.result?.['structuredContent']).toEqual({ n });
      await bridge.closed;
    }
  });

  it('with an unknown id, from another session, or sent twice are dropped', async () => {
    verifies('003-bridge-result-matching', '003-bridge-foreign-session');
    const [mine, other] = [await hasOpen(), await hasOpen()];
    await using bridge = mine.bridge;
    await using stranger = other.bridge;
    const call = callTool(mine.mcp_url, 'any');
    const invoke = await bridge.next('invoke_tool');
    const foreign = { ...invoke, mcpSessionId: other.mcpSessionId };
    // The right id on another bridge, with its own session and with the session it belongs to.
    stranger.send(resultFor(foreign, 'stolen'));
    stranger.send(resultFor(invoke, 'stolen'));
    // On the right bridge, with another session, or for a call that never existed.
    bridge.send(resultFor(foreign, 'stolen'));
    bridge.send(resultFor({ ...invoke, request_id: `${invoke.mcpSessionId}:1` }, 'stolen'));
    for (const each of [stranger, bridge]) {
      const { code, message } = await each.next('error');
      expect([typeof code, typeof message]).toEqual(['string', 'string']);
    }
    bridge.send(resultFor(invoke, 'mine'));
    bridge.send(resultFor(invoke, 'again'));
    expect(textOf((await call).answer)).toBe('"mine"');
    const next = callTool(mine.mcp_url, 'any');
    bridge.send(resultFor(await bridge.next('invoke_tool'), 'next'));
    expect(textOf((await next).answer)).toBe('"next"');
    expect(stranger.isClosed()).toBe(false);
  });

  const FAILURES: [string, object, string][] = [
    ['a text', { ok: false, error: 'disk full' }, 'disk full'],
    ['an object', { ok: false, error: { message: 'disk full', code: 28 } }, 'disk full'],
    ['a text as content', { ok: false, content: 'disk full' }, 'disk full'],
    ['any content', { ok: false, content: { why: 'disk full' } }, '{"why":"disk full"}'],
    ['the error before the content', { ok: false, content: { a: 1 }, error: 'disk full' }, 'disk full'],
  ];
  it.each(FAILURES)('with ok: false and %s are a tool result with isError', async (_label, rest, text) => {
    verifies('003-bridge-ok-false');
    const { status, answer } = await answered(rest);
    expect(status).toBe(200);
    expect(answer.result).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
    expect(answer.result).not.toHaveProperty('structuredContent');
  });

  it('with ok: false and no error text say so', async () => {
    verifies('003-bridge-ok-false');
    const { answer } = await answered({ ok: false });
    expect(answer.result).toMatchObject({ isError: true });
    expect(textOf(answer).length).toBeGreaterThan(10);
  });
});

describe('heartbeats', () => {
  it('a bridge that answers each ping stays; one that answers none counts as disconnected', async () => {
    verifies('003-bridge-ping', '003-bridge-no-pong');
    const [kept, silent] = [await anySession(), await anySession()];
    await using bridge = await openBridge(kept.bridge_url);
    await using mute = await openBridge(silent.bridge_url, { token: APP_TOKEN, pongs: false });
    expect(await mute.next('ping')).toEqual({ type: 'ping' });
    expect((await mute.closed).code).toBe(4408);
    const { answer } = await callTool(silent.mcp_url, 'any');
    expect(JSON.stringify(answer)).toContain('Bridge is not connected');
    for (let count = 0; count < 5; count++) expect(await bridge.next('ping')).toEqual({ type: 'ping' });
    expect(bridge.isClosed()).toBe(false);
    const call = callTool(kept.mcp_url, 'any');
    bridge.send(resultFor(await bridge.next('invoke_tool'), 1));
    expect(textOf((await call).answer)).toBe('1');
    // It can reconnect.
    await using back = await openBridge(silent.bridge_url);
    await back.next('ping');
    expect(back.isClosed()).toBe(false);
  });

  it('an unrequested pong, with and without the session, does no harm', async () => {
    const { bridge, mcpSessionId, mcp_url } = await hasOpen();
    await using _bridge = bridge;
    for (let count = 0; count < 10; count++) {
      bridge.send({ type: 'pong' });
      bridge.send({ type: 'pong', mcpSessionId });
    }
    const call = callTool(mcp_url, 'any');
    bridge.send(resultFor(await bridge.next('invoke_tool'), 1));
    expect((await call).answer.result).toMatchObject({ isError: false });
    expect(bridge.frames.some(({ type }) => type === 'error')).toBe(false);
  });
});

describe('without a bridge', () => {
  it('a call fails with the text of the document, and the session stays', async () => {
    verifies('003-ops-not-connected', '003-bridge-reconnect');
    const { mcp_url, bridge_url } = await anySession();
    for (let round = 0; round < 10; round++) {
      const { answer } = await callTool(mcp_url, 'any');
      expect(answer.error?.message).toContain('Bridge is not connected');
      expect(answer.error).toMatchObject({
        code: -32010,
        data: { code: 'BRIDGE_NOT_CONNECTED', outcome: 'not_executed' },
      });
      await using bridge = await openBridge(bridge_url);
      const call = callTool(mcp_url, 'any');
      bridge.send(resultFor(await bridge.next('invoke_tool'), round));
      expect(textOf((await call).answer)).toBe(String(round));
      expect((await bridge.close()).code).toBe(1000);
    }
  });

  it('a call that was sent ends as outcome_unknown, and does not run again on the next bridge', async () => {
    const { mcp_url, bridge_url, bridge } = await hasOpen();
    const call = callTool(mcp_url, 'any');
    await bridge.next('invoke_tool');
    bridge.socket.terminate();
    expect((await call).answer.error).toMatchObject({
      code: -32011,
      data: { code: 'BRIDGE_LOST', outcome: 'outcome_unknown' },
    });
    await using next = await openBridge(bridge_url);
    await next.next('ping');
    expect(next.frames.some(({ type }) => type === 'invoke_tool')).toBe(false);
  });

  it('a second bridge of the same app replaces the first, which is told so', async () => {
    verifies('003-bridge-replaced');
    const { mcp_url, bridge_url, bridge } = await hasOpen();
    await using second = await openBridge(bridge_url);
    expect((await bridge.closed).code).toBe(4409);
    const call = callTool(mcp_url, 'any');
    second.send(resultFor(await second.next('invoke_tool'), 'second'));
    expect(textOf((await call).answer)).toBe('"second"');
  });

  it('a bridge of an unknown session closes with 4404, after the handshake', async () => {
    verifies('003-close-4404');
    const { host } = new URL(proxy.origin);
    for (const id of ['0'.repeat(32), 'nobody', 'session-id'])
      expect((await closeOf(`ws://${host}/v1/chat/sessions/${id}/bridge`)).code).toBe(4404);
  });
});

describe('the log', () => {
  it('has no line of level error after every kind of close', async () => {
    verifies('003-bridge-disconnect-log');
    for (const code of [1000, 1001, 1005]) {
      const { bridge } = await hasOpen();
      if (code === 1005) bridge.socket.close();
      else bridge.socket.close(code);
      await bridge.closed;
    }
    const cut = await hasOpen();
    cut.bridge.socket.terminate();
    await cut.bridge.closed;
    const isGone = async (): Promise<boolean> =>
      JSON.stringify((await callTool(cut.mcp_url, 'any')).answer).includes('not connected');
    expect(await eventually(isGone)).toBe(true);
    await sleep(50);
    // The log has one line per event, as text or as JSON.
    expect(proxy.stderr()).not.toMatch(/"level":\s*"?error|\berror\b/i);
  });
});
