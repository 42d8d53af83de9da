import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHandProxy, type HandProxy, type ScriptedBridge } from '../../../../test/kit/fake-proxy.ts';
import { eventually } from '../../../../test/kit/processes.ts';
import {
  connect,
  image,
  text,
  tool,
  type AppConnection,
  type AppError,
  type AppTool,
  type AppTools,
  type ConnectOptions,
} from './index.ts';

let proxy: HandProxy;
const open: AppConnection[] = [];

beforeEach(async () => void (proxy = await startHandProxy()));
afterEach(async () => {
  for (const app of open.splice(0)) await app.close({ deleteSession: false });
  await proxy[Symbol.asyncDispose]();
});

const echo = tool({
  description: 'Returns its arguments.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => ({ echoed: text }),
});

async function start(
  tools: AppTools = { echo },
  options: Partial<ConnectOptions> = {},
): Promise<AppConnection> {
  const app = await connect({ url: proxy.url, token: 'tökén', tools, ...options });
  open.push(app);
  return app;
}

/** Runs a tool and returns the answer. */
async function called(tools: AppTools, name: string, args: unknown = {}): Promise<object> {
  await start(tools);
  return callOn(await proxy.bridge(0), name, args);
}

async function callOn(bridge: ScriptedBridge, name: string, args: unknown = {}): Promise<object> {
  bridge.send({
    type: 'invoke_tool',
    mcpSessionId: 's1',
    request_id: 'r1',
    tool_name: name,
    arguments: args,
  });
  return bridge.next('invoke_result');
}

describe('connecting', () => {
  it('registers the tools, says hello and knows the URLs of the session', async () => {
    const app = await start({ echo }, { device: { id: 'd', name: 'Desk' }, appVersion: '1.2', chatId: 'c' });
    expect(proxy.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/sessions',
      authorization: 'Bearer tökén',
    });
    expect(JSON.parse(proxy.requests[0]!.body)).toEqual({
      device_id: 'd',
      device_name: 'Desk',
      app_version: '1.2',
      chat_id: 'c',
      tools: [
        {
          name: 'echo',
          description: 'Returns its arguments.',
          input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        },
      ],
    });
    expect(app).toMatchObject({ sessionId: 's1', mcpUrl: `${proxy.url}/v1/mcp/s1`, status: 'open' });
    expect(proxy.bridges[0]!.frames).toEqual([
      { type: 'hello', version: 1, features: ['progress', 'cancel', 'chunks', 'tools_changed', 'media'] },
    ]);
  });

  it('sends its token as a subprotocol, or none without a token', async () => {
    await start();
    const encoded = Buffer.from('tökén').toString('base64url');
    expect(proxy.bridges[0]!.protocols).toEqual(['pincer.bridge', `pincer.token.${encoded}`]);
    await start({ echo }, { token: '' });
    expect(proxy.bridges[1]!.protocols).toEqual(['pincer.bridge']);
    expect(proxy.requests[1]!.authorization).toBeUndefined();
  });

  it('accepts any token of a hub', async () => {
    await start({ echo }, { token: 'ключ€' });
    expect(proxy.requests[0]!.authorization).toBe('Bearer ключ€');
    const encoded = Buffer.from('ключ€').toString('base64url');
    expect(proxy.bridges[0]!.protocols).toContain(`pincer.token.${encoded}`);
  });

  it('waits for a busy hub as long as it asks', async () => {
    proxy.answers.push({ status: 503 }, { status: 429, headers: { 'retry-after': '1' } });
    const reasons: string[] = [];
    const began = performance.now();
    await start({ echo }, { onStatus: ({ status, reason }) => reasons.push(`${status}: ${reason}`) });
    expect(performance.now() - began).toBeGreaterThan(950);
    expect(reasons).toEqual([
      expect.stringContaining('connecting: The hub at'),
      expect.stringContaining('connecting: The hub at'),
      'open: undefined',
    ]);
  });

  it.each([
    [{ status: 401 }, 'TOKEN_INVALID'],
    [{ status: 403 }, 'ORIGIN_REFUSED'],
    [{ status: 404 }, 'HUB_UNREACHABLE'],
    [{ status: 200, body: { hello: 1 } }, 'HUB_UNREACHABLE'],
    [
      {
        status: 400,
        body: { error: { code: 'ARGUMENT_INVALID', message: 'tools[0].name: is missing.', hint: 'h' } },
      },
      'ARGUMENT_INVALID',
    ],
  ])('fails at once if waiting cannot help: %j', async (answer, code) => {
    proxy.answers.push(answer);
    const failure = await start().catch((error: unknown) => error as AppError);
    expect(failure).toMatchObject({ name: 'AppError', code });
    expect((failure as AppError).hint).toBeTruthy();
    expect(proxy.requests).toHaveLength(1);
  });

  it('fails if the bridge rejects the token', async () => {
    proxy.closings.push(4401);
    await expect(start()).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
  });

  it('continues until it is aborted', async () => {
    const controller = new AbortController();
    const statuses: string[] = [];
    const reasons = new Set<string | undefined>();
    const onStatus: ConnectOptions['onStatus'] = ({ status, reason }) => {
      reasons.add(reason);
      if (statuses.push(status) === 3) controller.abort(new Error('enough'));
    };
    const url = 'http://127.0.0.1:1';
    const times = { firstRetryMs: 1 };
    await expect(connect({ url, tools: {}, signal: controller.signal, onStatus, times })).rejects.toThrow(
      'enough',
    );
    expect(statuses).toEqual(['connecting', 'connecting', 'connecting', 'closed']);
    expect([...reasons]).toEqual([`No hub answers at ${url}. Start it with: pincer up`, undefined]);
  });

  it('needs a valid URL, a token without spaces, and unique tool names', async () => {
    for (const token of ['token\n', 'to ken', 'to\u0085ken', 'to\u00a0ken'])
      await expect(start({}, { token })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
    await expect(start({}, { url: 'localhost:8000' })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
    const twice = [
      { name: 'a', description: '', run: () => 1 },
      { name: 'a', description: '', run: () => 2 },
    ];
    await expect(start(twice)).rejects.toThrow('Two tools are called "a".');
    await expect(start([{ description: '', run: () => 1 }])).rejects.toThrow('has no name');
  });
});

describe('call', () => {
  it('runs the function, and returns its value as content', async () => {
    expect(await called({ echo }, 'echo', { text: 'hi' })).toEqual({
      type: 'invoke_result',
      mcpSessionId: 's1',
      request_id: 'r1',
      ok: true,
      content: { echoed: 'hi' },
    });
  });

  it('is answered if it was waiting and comes before the welcome', async () => {
    const { welcome } = proxy;
    proxy.welcome = undefined;
    const starting = start();
    const bridge = await proxy.bridge(0);
    expect(await callOn(bridge, 'echo', { text: 'early' })).toMatchObject({ content: { echoed: 'early' } });
    bridge.send({ type: 'welcome', ...welcome });
    expect((await starting).status).toBe('open');
  });

  it('may return nothing', async () => {
    const answer = await called({ quiet: { description: '', run: () => undefined } }, 'quiet');
    expect(answer).toMatchObject({ ok: true });
    expect(answer).not.toHaveProperty('content');
  });

  it('fails with only the message if it throws', async () => {
    const run = (): never => {
      throw new TypeError('No paper left.');
    };
    const answer = await called({ print: { description: '', run } }, 'print');
    expect(answer).toMatchObject({ ok: false, error: 'No paper left.' });
    expect(answer).not.toHaveProperty('content');
  });

  it('fails for an unknown tool, and for a result that JSON cannot write', async () => {
    const tools = { big: { description: '', run: () => 1n } };
    expect(await called(tools, 'other')).toMatchObject({
      ok: false,
      error: 'This app no longer has a tool "other".',
    });
    const answer = await callOn(proxy.bridges[0]!, 'big');
    expect(answer).toMatchObject({
      ok: false,
      error: expect.stringContaining('cannot be written as JSON') as string,
    });
  });

  it('returns one or several blocks', async () => {
    const pixel = new Uint8Array([1, 2, 3]);
    const tools = {
      one: { description: '', run: () => image(pixel, 'image/png') },
      blob: { description: '', run: () => image(new Blob([pixel], { type: 'image/png' })) },
      two: { description: '', run: () => [text('see'), image('data:image/gif;base64,AAAA')] },
      alike: { description: '', run: () => ({ type: 'text', text: 'a value' }) },
    };
    const block = { type: 'image', data: 'AQID', mimeType: 'image/png' };
    expect(await called(tools, 'one')).toMatchObject({ content: [block] });
    const bridge = proxy.bridges[0]!;
    expect(await callOn(bridge, 'blob')).toMatchObject({ content: [block] });
    expect(await callOn(bridge, 'two')).toMatchObject({
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', data: 'AAAA', mimeType: 'image/gif' },
      ],
    });
    expect(await callOn(bridge, 'alike')).toMatchObject({ content: { type: 'text', text: 'a value' } });
  });

  it('never sends half a character', async () => {
    const run = (): object => ({ cut: 'ab😀'.slice(0, 3), kept: '😀' });
    expect(await called({ cut: { description: '', run } }, 'cut')).toMatchObject({
      content: { cut: 'ab\ufffd', kept: '😀' },
    });
  });

  it('throttles progress, and always sends the last report', async () => {
    const tools = {
      count: tool({
        description: '',
        input: { type: 'object' },
        run(_, { progress }) {
          for (let step = 1; step <= 100; step++) progress(step, 100, `step ${step}`);
        },
      }),
    };
    await called(tools, 'count');
    const words = proxy.bridges[0]!.frames.filter(({ type }) => type === 'progress');
    expect(words.map(({ progress, total, message }) => [progress, total, message])).toEqual([
      [1, 100, 'step 1'],
      [100, 100, 'step 100'],
    ]);
  });

  it('cuts a progress message between characters', async () => {
    const long = `${'x'.repeat(4_095)}😀`;
    const run: AppTool['run'] = (_, { progress }) => progress(1, 2, long);
    await called({ talk: { description: '', run } }, 'talk');
    const word = proxy.bridges[0]!.frames.find(({ type }) => type === 'progress');
    expect(word).toMatchObject({ message: `${'x'.repeat(4_095)}\ufffd` });
  });

  it('is aborted by its caller, with the reason', async () => {
    const tools = {
      wait: tool({
        description: '',
        input: { type: 'object' },
        run: (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      }),
    };
    await start(tools);
    const bridge = await proxy.bridge(0);
    bridge.send({
      type: 'invoke_tool',
      mcpSessionId: 's1',
      request_id: 'r1',
      tool_name: 'wait',
      arguments: {},
    });
    bridge.send({ type: 'cancel', mcpSessionId: 's1', request_id: 'r1', reason: 'too late' });
    expect(await bridge.next('invoke_result')).toMatchObject({ ok: false, error: 'too late' });
  });

  it('sends and receives large texts in chunks', async () => {
    proxy.welcome!.chunk_bytes = 1_000;
    const long = 'ä"\\😀'.repeat(1_000);
    await start();
    const bridge = await proxy.bridge(0);
    const whole = JSON.stringify({
      type: 'invoke_tool',
      request_id: 'r',
      tool_name: 'echo',
      arguments: { text: long },
    });
    const half = whole.length / 2;
    bridge.send({ type: 'chunk', id: 'x', index: 0, isLast: false, data: whole.slice(0, half) });
    bridge.send({ type: 'chunk', id: 'x', index: 1, isLast: true, data: whole.slice(half) });
    const chunks = (): { data: string; isLast: boolean }[] =>
      bridge.frames.filter(({ type }) => type === 'chunk') as never;
    expect(await eventually(() => chunks().at(-1)?.isLast === true)).toBe(true);
    for (const chunk of chunks()) expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(1_000);
    const answer = JSON.parse(
      chunks()
        .map(({ data }) => data)
        .join(''),
    ) as object;
    expect(answer).toMatchObject({ ok: true, request_id: 'r', content: { echoed: long } });
  });

  it('continues after a lost bridge, and its result is dropped', async () => {
    const aborted: unknown[] = [];
    const finish = Promise.withResolvers<void>();
    const tools = {
      slow: tool({
        description: '',
        input: { type: 'object' },
        async run(_, { signal }) {
          signal.addEventListener('abort', () => aborted.push(signal.reason));
          await finish.promise;
          return 'done';
        },
      }),
    };
    await start(tools);
    const first = await proxy.bridge(0);
    first.send({
      type: 'invoke_tool',
      mcpSessionId: 's1',
      request_id: 'r1',
      tool_name: 'slow',
      arguments: {},
    });
    await first.next('hello');
    first.cut();
    const second = await proxy.bridge(1);
    finish.resolve();
    await second.next('tools_changed');
    expect(await callOn(second, 'slow')).toMatchObject({ content: 'done' });
    expect(second.frames.filter(({ type }) => type === 'invoke_result')).toHaveLength(1);
    expect(aborted).toEqual([]);
  });
});

describe('changed tools', () => {
  it('are sent once, and again on a new bridge', async () => {
    const app = await start();
    const first = await proxy.bridge(0);
    app.setTools({ other: { description: 'Another.', run: () => 1 } });
    expect(await first.next('tools_changed')).toMatchObject({
      tools: [{ name: 'other', input_schema: { type: 'object' } }],
    });
    app.setTools({ other: { description: 'Another.', run: () => 2 } });
    expect(await callOn(first, 'other')).toMatchObject({ content: 2 });
    expect(first.frames.filter(({ type }) => type === 'tools_changed')).toHaveLength(1);
    first.cut();
    const second = await proxy.bridge(1);
    expect(await second.next('tools_changed')).toMatchObject({ tools: [{ name: 'other' }] });
  });

  it('are reported as an error if the hub refuses them', async () => {
    const errors: AppError[] = [];
    await start({ echo }, { onError: (error) => errors.push(error) });
    (await proxy.bridge(0)).send({
      type: 'error',
      code: 'ARGUMENT_INVALID',
      message: 'tools[0].name: is empty.',
    });
    expect(await eventually(() => errors.length > 0)).toBe(true);
    expect(errors[0]).toMatchObject({ code: 'ARGUMENT_INVALID', message: 'tools[0].name: is empty.' });
  });
});

describe('closing', () => {
  it('deletes a session that is not remembered, and aborts running calls', async () => {
    const reasons: unknown[] = [];
    const run: AppTool['run'] = (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(reasons.push(signal.reason))));
    const app = await start({ wait: { description: '', run } });
    const bridge = await proxy.bridge(0);
    bridge.send({
      type: 'invoke_tool',
      mcpSessionId: 's1',
      request_id: 'r1',
      tool_name: 'wait',
      arguments: {},
    });
    bridge.send({ type: 'ping' });
    await bridge.next('pong');
    await app.close();
    expect(app.status).toBe('closed');
    expect(proxy.requests.at(-1)).toMatchObject({ method: 'DELETE', path: '/v1/chat/sessions/s1' });
    expect(String(reasons[0])).toContain('The app closed its connection.');
    expect(await eventually(bridge.isClosed)).toBe(true);
  });
});
