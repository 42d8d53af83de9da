/** `pincer/app` as published, between the real proxy and the official clients. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { audio, connect, image, text, tool, type AppConnection, type ConnectOptions } from 'pincer/app';
import { APP_TOKEN, OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import { freePort } from '../kit/free-port.ts';
import { eventually } from '../kit/processes.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { connectSdk, type SdkClient } from '../servers/sdk-clients.ts';

let proxy: TestProxy;
beforeAll(async () => void (proxy = await startProxy({ command: 'up' })));
afterAll(() => proxy?.[Symbol.asyncDispose]());

const HEADERS = { authorization: `Bearer ${OPENCLAW_TOKEN}` };
const ERAS = ['legacy', 'modern'] as const;

interface OpenApp extends AsyncDisposable, AppConnection {}

async function openApp(options: Partial<ConnectOptions>): Promise<OpenApp> {
  const app = await connect({ url: proxy.origin, token: APP_TOKEN, tools: {}, ...options });
  return Object.assign(app, { [Symbol.asyncDispose]: () => app.close() });
}

const clientOf = (app: AppConnection, era: (typeof ERAS)[number] = 'modern'): Promise<SdkClient> =>
  connectSdk(era, app.mcpUrl, HEADERS);

const ANY = { type: 'object' } as const;
const greet = tool({
  description: 'Greets somebody.',
  input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  run: ({ name }) => ({ greeting: `Hello, ${name}!` }),
});

describe.each(ERAS)('with a client of the %s era', (era) => {
  it('offers functions of the app as tools', async () => {
    const fail = tool({
      description: 'Fails.',
      run() {
        throw new Error('The door is locked.');
      },
    });
    await using app = await openApp({ tools: { greet, fail } });
    await using client = await clientOf(app, era);
    expect(await client.listTools()).toEqual(['greet', 'fail']);
    const { structured } = await client.callTool('greet', { name: 'Ada' });
    expect(structured).toEqual({ greeting: 'Hello, Ada!' });
    expect(await client.callTool('fail', {})).toMatchObject({ text: 'The door is locked.', isError: true });
  });

  it('announces changed tools, which can be called at once', async () => {
    await using app = await openApp({ tools: { greet } });
    await using client = await clientOf(app, era);
    let changes = 0;
    await client.onToolsChanged(() => changes++);
    app.setTools({ later: { description: 'Later.', run: () => ({ is: 'there' }) } });
    expect(await eventually(async () => (await client.listTools()).join() === 'later')).toBe(true);
    expect(await client.callTool('later', {})).toMatchObject({ structured: { is: 'there' } });
    // A legacy client reports that it listens before it does.
    const change = (): boolean => {
      app.setTools({ [`tool_${changes}`]: greet, [`at_${Date.now()}`]: greet });
      return changes > 0;
    };
    expect(await eventually(change, 20_000, 200)).toBe(true);
  });
});

it('forwards all progress to the caller, in order', async () => {
  const count = tool({
    description: 'Counts.',
    input: ANY,
    async run(_, { progress }) {
      for (let step = 1; step <= 3; step++) {
        progress(step, 3, `step ${step}`);
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      return { counted: 3 };
    },
  });
  await using app = await openApp({ tools: { count } });
  await using client = await clientOf(app);
  const seen: unknown[] = [];
  await client.callTool(
    'count',
    {},
    { onprogress: ({ progress, message }) => seen.push([progress, message]) },
  );
  expect(seen).toEqual([1, 2, 3].map((step) => [step, `step ${step}`]));
});

it('aborts the function in the app when the caller cancels', async () => {
  const aborted = Promise.withResolvers<string>();
  const began = Promise.withResolvers<void>();
  const wait = tool({
    description: 'Waits.',
    input: ANY,
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        began.resolve();
        signal.addEventListener('abort', () => {
          aborted.resolve((signal.reason as Error).name);
          reject(signal.reason);
        });
      }),
  });
  await using app = await openApp({ tools: { wait } });
  await using client = await clientOf(app);
  const controller = new AbortController();
  const call = client.callTool('wait', {}, { signal: controller.signal }).catch(() => 'cancelled');
  await began.promise;
  controller.abort();
  expect(await call).toBe('cancelled');
  expect(await aborted.promise).toBe('AbortError');
});

it('returns text, images and sound as content of their type', async () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 256);
  const media = tool({
    description: 'Shows and plays.',
    run: async () => [
      text('Look and listen:'),
      await image(new Blob([bytes], { type: 'image/png' })),
      audio(bytes, 'audio/wav'),
    ],
  });
  await using app = await openApp({ tools: { media } });
  const data = Buffer.from(bytes).toString('base64');
  const response = await fetch(app.mcpUrl, {
    method: 'POST',
    headers: {
      ...HEADERS,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'media', arguments: {} },
    }),
  });
  const { result } = (await response.json()) as { result: { content: unknown } };
  expect(result.content).toEqual([
    { type: 'text', text: 'Look and listen:' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'audio', data, mimeType: 'audio/wav' },
  ]);
});

it('carries several megabytes in both directions, in chunks', async () => {
  const echo = tool({
    description: 'Gives back what it gets.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: ({ text }) => ({ text }),
  });
  await using app = await openApp({ tools: { echo } });
  await using client = await clientOf(app);
  const long = 'Größe "5" \\ 😀 '.repeat(150_000);
  const { structured } = await client.callTool('echo', { text: long });
  expect((structured as { text: string }).text === long).toBe(true);
});

it('replaces a deleted session by a new one and tells the app', async () => {
  const changes: string[] = [];
  await using app = await openApp({
    tools: { greet },
    onStatus: ({ status, isNewSession }) => changes.push(`${status}${isNewSession ? ' anew' : ''}`),
  });
  const first = app.sessionId;
  const headers = { authorization: `Bearer ${APP_TOKEN}` };
  await fetch(`${proxy.origin}/v1/chat/sessions/${first}`, { method: 'DELETE', headers });
  expect(await eventually(() => changes.includes('open anew'))).toBe(true);
  expect(app.sessionId).not.toBe(first);
  await using client = await clientOf(app);
  expect(await client.listTools()).toEqual(['greet']);
});

it('lets a second connection replace the first on the same session; the first does not reconnect', async () => {
  const items = new Map<string, string>();
  const remember = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  const answers = (from: string): ConnectOptions['tools'] => ({
    who: { description: 'Who is there.', run: () => ({ from }) },
  });
  const errors: string[] = [];
  await using first = await openApp({
    remember,
    tools: answers('first'),
    onError: ({ code }) => errors.push(code),
  });
  await using second = await openApp({ remember, tools: answers('second') });
  expect(second.sessionId).toBe(first.sessionId);
  expect(await eventually(() => first.status === 'replaced')).toBe(true);
  expect(errors).toEqual(['BRIDGE_REPLACED']);
  await using client = await clientOf(second);
  expect(await client.callTool('who', {})).toMatchObject({ structured: { from: 'second' } });
  expect([first.status, second.status]).toEqual(['replaced', 'open']);
});

it.each(['wrong', ''])('refuses the token %j at once', async (token) => {
  await expect(openApp({ token })).rejects.toMatchObject({ name: 'AppError', code: 'TOKEN_INVALID' });
});

it('refuses invalid tools and names the place of the error', async () => {
  await expect(openApp({ tools: { 'not a name': greet } })).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
    message: expect.stringMatching(/^tools\[0\]\.name: /) as string,
  });
});

it('reconnects the app to the same session after the hub was killed and restarted', async () => {
  using folder = temporaryFolder('app-library');
  const port = await freePort();
  const home = { command: 'up' as const, folder: folder.path, port };
  const killed = await startProxy(home);
  const statuses: string[] = [];
  await using app = await openApp({
    url: killed.origin,
    tools: { greet },
    onStatus: ({ status }) => statuses.push(status),
  });
  const { sessionId } = app;
  await killed.kill9();
  expect(await eventually(() => app.status === 'reconnecting')).toBe(true);
  await using again = await startProxy(home);
  expect(await eventually(() => app.status === 'open')).toBe(true);
  expect(app.sessionId).toBe(sessionId);
  await using client = await clientOf(app);
  const { structured } = await client.callTool('greet', { name: again.origin });
  expect(structured).toEqual({ greeting: `Hello, ${killed.origin}!` });
  expect(new Set(statuses)).toEqual(new Set(['open', 'reconnecting']));
});
