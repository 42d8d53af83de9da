/** `pincer proxy-stdio` as clients see it, in front of the real proxy with an app behind it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HandServer, json } from '../kit/fake-server.ts';
import { ENTRY } from '../kit/hub.ts';
import {
  callText,
  INITIALIZE,
  INITIALIZED,
  listText,
  parseAnswer,
  request,
  structuredOf,
  type Answer,
} from '../kit/messages.ts';
import { openBridge, resultFor, type TestBridge } from '../kit/proxy/bridge.ts';
import { OPENCLAW_TOKEN, startProxy, type TestProxy } from '../kit/proxy/proxy.ts';
import {
  anyTool,
  createSession,
  deleteSession,
  EXAMPLE,
  type CreatedSession,
} from '../kit/proxy/sessions.ts';
import { eventually } from '../kit/processes.ts';
import { openStdio, type Program, type StdioClient } from '../kit/stdio.ts';
import { temporaryFolder, type TemporaryFolder } from '../kit/temporary-folder.ts';
import { connectSdk } from '../servers/sdk-clients.ts';
import { verifies } from '../verifies.ts';

const ERAS = ['legacy', 'modern'] as const;
const HELLO = {
  type: 'hello',
  version: 1,
  features: ['progress', 'cancel', 'chunks', 'tools_changed', 'media'],
};

let folder: TemporaryFolder;
let proxy: TestProxy;
let session: CreatedSession;
let bridge: TestBridge;

beforeAll(async () => {
  folder = temporaryFolder('proxy-stdio');
  proxy = await startProxy({ folder: folder.path });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});
beforeEach(async () => {
  session = await createSession(proxy.origin);
  bridge = await openBridge(session.bridge_url);
});
afterEach(() => bridge[Symbol.asyncDispose]());

/** As in a client's configuration. */
const program = (
  args: string[] = [],
  env: Record<string, string> = {},
): Program & { env: Record<string, string> } => ({
  command: process.execPath,
  args: [ENTRY, 'proxy-stdio', ...args],
  env: { OPENCLAW_PROXY_SERVER_URL: proxy.origin, OPENCLAW_PROXY_OPENCLAW_TOKEN: OPENCLAW_TOKEN, ...env },
});
const ofSession = (): string[] => ['--session', session.mcpSessionId];

/** The example of the seed, which names the session. */
const seedInitialize = (mcpSessionId: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'your-client', version: '1.0.0' },
      mcpSessionId,
    },
  });

const ask = async (client: StdioClient, text: string): Promise<Answer> => parseAnswer(await client.ask(text));
const namesIn = ({ result }: Answer): string[] =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

/** Calls `echo_text`, which the app answers. */
async function echo(
  client: StdioClient,
  text: string,
  era: 'legacy' | 'modern' = 'legacy',
): Promise<unknown> {
  const answer = client.ask(
    callText('echo_text', { era, id: JSON.stringify(text), args: JSON.stringify({ text }) }),
  );
  await answerEcho();
  return structuredOf(parseAnswer(await answer))['echoed_text'];
}

async function answerEcho(): Promise<void> {
  const frame = await bridge.next('invoke_tool');
  bridge.send(resultFor(frame, { echoed_text: (frame.arguments as { text: string }).text }));
}

describe('the session', () => {
  it('is taken from initialize, with the message and the configuration of the seed', async () => {
    verifies(
      '003-transport-stdio-bind',
      '003-run-stdio-initialize',
      '003-openclaw-stdio-config',
      '003-config-server-url',
      '003-run-command',
    );
    await using client = openStdio(program());
    const { result } = await ask(client, seedInitialize(session.mcpSessionId));
    expect(result).toMatchObject({ protocolVersion: '2025-03-26', capabilities: { tools: {} } });
    client.send(INITIALIZED);
    expect(namesIn(await ask(client, listText()))).toEqual(['echo_text']);
    expect(await echo(client, 'hello')).toBe('hello');
    client.end();
    expect(await client.exited).toBe(0);
    expect(client.untaken).toEqual([]);
    expect(client.stderr()).toBe('');
  });

  it('is required: without one the error explains how to set it, and a later initialize may set it', async () => {
    verifies('003-transport-stdio-missing');
    await using client = openStdio(program());
    for (const text of [INITIALIZE, listText(), listText('modern')])
      expect(await ask(client, text)).toMatchObject({
        error: {
          code: -32602,
          message: 'No session is named.',
          data: {
            code: 'ARGUMENT_INVALID',
            hint: expect.stringContaining('pincer proxy-stdio --session ID'),
          },
        },
      });
    expect(await ask(client, seedInitialize(session.mcpSessionId))).toHaveProperty('result');
  });

  it('can be set on the command line, and then initialize need not name it', async () => {
    verifies('003-transport-stdio-missing');
    await using client = openStdio(program(ofSession()));
    expect(await ask(client, INITIALIZE)).toHaveProperty('result');
    expect(await echo(client, 'by flag')).toBe('by flag');
  });

  it('stays the same for the whole process, which offers only its tools', async () => {
    verifies('003-transport-stdio-single');
    const other = await createSession(proxy.origin, { ...EXAMPLE, tools: [anyTool('of_the_other')] });
    await using client = openStdio(program());
    await client.ask(seedInitialize(session.mcpSessionId));
    expect(await ask(client, seedInitialize(other.mcpSessionId))).toMatchObject({
      error: { code: -32602, message: 'This process already serves another session.' },
    });
    expect(namesIn(await ask(client, listText()))).toEqual(['echo_text']);
    const meta = `"pincer/mcpSessionId":"${other.mcpSessionId}"`;
    expect(await ask(client, callText('of_the_other', { meta }))).toHaveProperty('error');
    expect(await echo(client, 'still mine')).toBe('still mine');
  });

  it('is taken from _meta of the first request in the modern era', async () => {
    await using client = openStdio(program());
    const meta = `"mcpSessionId":"${session.mcpSessionId}"`;
    const answer = client.ask(callText('echo_text', { era: 'modern', meta, args: '{"text":"first"}' }));
    await answerEcho();
    expect(structuredOf(parseAnswer(await answer))).toEqual({ echoed_text: 'first' });
    expect(namesIn(await ask(client, listText('modern')))).toEqual(['echo_text']);
  });
});

describe('the proxy', () => {
  it('receives each message at POST /v1/mcp, with the session in a header', async () => {
    verifies('003-transport-stdio-forward');
    const server = await HandServer.start();
    server.answers['tools/list'] = json('{"tools":[]}');
    await using client = openStdio(program([], { OPENCLAW_PROXY_SERVER_URL: server.origin }));
    await client.ask(request('initialize', '{"mcpSessionId":"s-1"}', '"i"'));
    await client.ask(listText('legacy', '"l"'));
    client.end();
    expect(await client.exited).toBe(0);
    expect(
      server.received.map(({ method, url, headers, text }) => [method, url, headers['mcp-session-id'], text]),
    ).toEqual([
      ['POST', '/v1/mcp', 's-1', request('initialize', '{}', '"i"')],
      ['POST', '/v1/mcp', 's-1', listText('legacy', '"l"')],
    ]);
    await server.stop();
  });

  it('has the address of the flag, which overrides the variable', async () => {
    verifies('003-run-stdio-flag');
    const args = ['--proxy-base-url', `${proxy.origin}/`, ...ofSession()];
    await using client = openStdio(program(args, { OPENCLAW_PROXY_SERVER_URL: 'http://127.0.0.1:1' }));
    expect(namesIn(await ask(client, listText('modern')))).toEqual(['echo_text']);
  });

  it('has the address and the token of .env in the working folder', async () => {
    using cwd = temporaryFolder('proxy-stdio-env');
    const lines = [
      `OPENCLAW_PROXY_SERVER_URL=${proxy.origin}`,
      `OPENCLAW_PROXY_OPENCLAW_TOKEN="${OPENCLAW_TOKEN}"`,
    ];
    writeFileSync(join(cwd.path, '.env'), lines.join('\n'));
    const env = { OPENCLAW_PROXY_SERVER_URL: '', OPENCLAW_PROXY_OPENCLAW_TOKEN: '' };
    await using client = openStdio({ ...program(ofSession(), env), cwd: cwd.path });
    expect(namesIn(await ask(client, listText('modern')))).toEqual(['echo_text']);
  });

  it.each([
    [
      'a wrong token',
      () => program(ofSession(), { OPENCLAW_PROXY_OPENCLAW_TOKEN: 'wrong' }),
      'TOKEN_INVALID',
    ],
    ['no token', () => program(ofSession(), { OPENCLAW_PROXY_OPENCLAW_TOKEN: '' }), 'TOKEN_INVALID'],
    ['an unknown session', () => program(['--session', 'f'.repeat(32)]), 'SESSION_UNKNOWN'],
    [
      'an unreachable proxy',
      () => program(['--proxy-base-url', 'http://127.0.0.1:1', ...ofSession()]),
      'HUB_UNREACHABLE',
    ],
  ])('with %s returns an error with a code and a hint, in both eras', async (_name, make, code) => {
    await using client = openStdio({ ...make(), cwd: folder.path });
    for (const text of [INITIALIZE, listText('modern'), callText('echo_text', { id: '7' })])
      expect(await ask(client, text)).toMatchObject({
        error: { message: expect.any(String), data: { code, hint: expect.any(String) } },
      });
    client.end();
    expect(await client.exited).toBe(0);
    expect(client.untaken).toEqual([]);
  });

  it('may stop and return: the call ends as outcome_unknown, and the next one works', async () => {
    await using client = openStdio(program(ofSession()));
    await client.ask(INITIALIZE);
    client.send(INITIALIZED);
    const lost = ask(client, callText('echo_text', { id: '"lost"', args: '{"text":"lost"}' }));
    await bridge.next('invoke_tool');
    const { port } = proxy;
    await proxy.kill9();
    expect(await lost).toMatchObject({
      error: { code: -32011, data: { outcome: 'outcome_unknown', code: 'SERVER_GONE' } },
    });
    // A connection that is not yet known to have ended may take one more request.
    const codeOfList = async (): Promise<unknown> => (await ask(client, listText())).error?.data?.['code'];
    expect(await eventually(async () => (await codeOfList()) === 'HUB_UNREACHABLE')).toBe(true);
    proxy = await startProxy({ folder: folder.path, port });
    bridge = await openBridge(session.bridge_url);
    expect(await echo(client, 'again')).toBe('again');
    expect(await client.take((line) => line.includes('notifications/tools/list_changed'))).not.toContain(
      '"id"',
    );
  });

  it('may forget the session: then the client is told', async () => {
    await using client = openStdio(program(ofSession()));
    expect(namesIn(await ask(client, listText('modern')))).toEqual(['echo_text']);
    await deleteSession(proxy.origin, session.mcpSessionId);
    for (const era of ERAS)
      expect(await ask(client, listText(era))).toMatchObject({
        error: { data: { code: 'SESSION_UNKNOWN' } },
      });
  });
});

describe.each(ERAS)('the official client, %s', (era) => {
  it('lists, calls and is notified of changed tools', async () => {
    bridge.send(HELLO);
    await bridge.next('welcome');
    await using client = await connectSdk(era, program(ofSession()));
    expect(await client.listTools()).toEqual(['echo_text']);
    let changes = 0;
    await client.onToolsChanged(() => changes++);
    const progress: number[] = [];
    const called = client.callTool(
      'echo_text',
      { text: 'hi' },
      { onprogress: (each) => progress.push(each.progress) },
    );
    const frame = await bridge.next('invoke_tool');
    const { request_id } = frame;
    for (const each of [1, 2]) bridge.send({ type: 'progress', request_id, progress: each, total: 2 });
    // A client that reads the answer together with the last notification drops the notification.
    expect(await eventually(() => progress.length === 2)).toBe(true);
    bridge.send(resultFor(frame, { echoed_text: 'hi' }));
    expect((await called).structured).toEqual({ echoed_text: 'hi' });
    expect(progress).toEqual([1, 2]);
    // A legacy client opens its stream some time after the handshake, without a sign that it is open.
    const rename = (round: number): object => ({ type: 'tools_changed', tools: [anyTool(`round_${round}`)] });
    let round = 0;
    expect(
      await eventually(() => (changes === 0 && bridge.send(rename(round++)), changes > 0), 20_000, 200),
    ).toBe(true);
    expect(await client.listTools()).toEqual([`round_${round - 1}`]);
  });

  it('cancels a call, and the app is told', async () => {
    bridge.send(HELLO);
    await bridge.next('welcome');
    await using client = await connectSdk(era, program(ofSession()));
    const stop = new AbortController();
    const called = client
      .callTool('echo_text', { text: 'long' }, { signal: stop.signal })
      .catch(() => 'cancelled');
    const { request_id } = await bridge.next('invoke_tool');
    stop.abort();
    expect(await called).toBe('cancelled');
    expect(await bridge.next('cancel')).toMatchObject({ request_id });
    const next = client.callTool('echo_text', { text: 'next' });
    await answerEcho();
    expect((await next).structured).toEqual({ echoed_text: 'next' });
  });
});

it('an official client that names the session itself needs no flag', async () => {
  const transport = new StdioClientTransport({ ...program(), stderr: 'ignore' });
  const send = transport.send.bind(transport);
  transport.send = (message) =>
    send(
      'method' in message && message.method === 'initialize'
        ? { ...message, params: { ...message.params, mcpSessionId: session.mcpSessionId } }
        : message,
    );
  const client = new Client({ name: 'names-it', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['echo_text']);
  await client.close();
});

describe('as a process', () => {
  it('answers all requests when stdin ends, then exits', async () => {
    await using client = openStdio(program(ofSession()));
    client.send(callText('echo_text', { id: '"a"', args: '{"text":"a"}' }));
    client.send(callText('echo_text', { id: '"b"', args: '{"text":"b"}' }));
    client.end();
    // Both run at once; the second does not wait for the first.
    const frames = [await bridge.next('invoke_tool'), await bridge.next('invoke_tool')];
    for (const frame of frames.toReversed()) bridge.send(resultFor(frame, frame.arguments));
    const answers = [await client.take(), await client.take()].map(parseAnswer);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(['a', 'b']));
    expect(answers.map(structuredOf)).toEqual(answers.map(({ id }) => ({ text: id })));
    expect(await client.exited).toBe(0);
  });

  it('exits on a signal and cancels its requests', async () => {
    bridge.send(HELLO);
    await bridge.next('welcome');
    await using client = openStdio(program(ofSession()));
    client.send(callText('echo_text', { args: '{"text":"a"}' }));
    const { request_id } = await bridge.next('invoke_tool');
    process.kill(client.pid, 'SIGTERM');
    expect(await client.exited).toBe(0);
    expect(await bridge.next('cancel')).toMatchObject({ request_id });
    expect(client.untaken).toEqual([]);
  });

  it('refuses invalid or overlong messages, and continues', async () => {
    await using client = openStdio(program(ofSession()));
    client.send('hello?');
    expect(parseAnswer(await client.take())).toMatchObject({ id: null, error: { code: -32700 } });
    await client.written(Buffer.alloc(97 * 1024 * 1024, 'x'));
    client.send('');
    expect(parseAnswer(await client.take())).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await echo(client, 'still here')).toBe('still here');
  });

  it('forwards huge numbers and non-ASCII bytes unchanged', async () => {
    await using client = openStdio(program(ofSession()));
    const answer = client.ask(callText('echo_text', { args: '{"text":"Gr\u00fc\u00dfe \u2603"}' }));
    const { request_id, mcpSessionId } = await bridge.next('invoke_tool');
    const content = '{"n":123456789012345678901234567890.10,"text":"Gr\u00fc\u00dfe \u2603"}';
    bridge.send(
      `{"type":"invoke_result","mcpSessionId":"${mcpSessionId}","request_id":"${request_id}","ok":true,"content":${content}}`,
    );
    expect(await answer).toContain(`"structuredContent":${content}`);
  });

  it('reports command-line mistakes on stderr only', async () => {
    await using client = openStdio(program(['--proxy-base-url', 'nowhere', '--json']));
    expect(await client.exited).toBe(2);
    expect(client.untaken).toEqual([]);
    expect(client.stderr()).toContain('--proxy-base-url must be the URL of the proxy');
  });
});
