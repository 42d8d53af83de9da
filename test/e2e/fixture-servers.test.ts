import { describe, expect, it } from 'vitest';
import { expectProgress } from '../kit/expect-progress.ts';
import type { Era, ServerFlags } from '../servers/flags.ts';
import { messagesOf, openPipe, post } from '../servers/raw-client.ts';
import { connectSdk, type SdkClient } from '../servers/sdk-clients.ts';
import { startHttpServer, stdioCommand } from '../servers/start.ts';

type Flags = Partial<Omit<ServerFlags, 'transport'>>;
type Way = [era: Era, transport: ServerFlags['transport'], flags: Flags];

const WAYS: Way[] = [
  ['legacy', 'stdio', { era: 'legacy' }],
  ['legacy', 'http', { era: 'legacy', response: 'sse' }],
  ['legacy', 'http', { era: 'legacy', response: 'json' }],
  ['legacy', 'http', { era: 'legacy', session: 'stateless' }],
  ['modern', 'stdio', { era: 'modern' }],
  ['modern', 'http', { era: 'modern', response: 'sse' }],
  ['modern', 'http', { era: 'modern', response: 'json' }],
  ['legacy', 'stdio', { era: 'dual' }],
  ['modern', 'stdio', { era: 'dual' }],
  ['legacy', 'http', { era: 'dual' }],
  ['modern', 'http', { era: 'dual' }],
];

async function connect([era, transport, flags]: Way, more: Flags): Promise<SdkClient> {
  if (transport === 'stdio') return connectSdk(era, stdioCommand({ ...flags, ...more }));
  const server = await startHttpServer({ ...flags, ...more });
  const client = await connectSdk(era, server.url);
  const close = async () => {
    await client.close();
    await server.stop();
  };
  return { ...client, close, [Symbol.asyncDispose]: close };
}

describe.each(WAYS)('%s SDK client over %s, server %o', (...way) => {
  const [era, transport, flags] = way;

  it('lists, calls, fails, reports progress and cancels', async () => {
    await using client = await connect(way, { count: 3, pageSize: 10 });
    const names = await client.listTools();
    expect(names).toHaveLength(25);
    expect(new Set(names).size).toBe(25);
    expect(names).toEqual(expect.arrayContaining(['echo', 'whoami', 'tool_1', 'tool_3']));

    expect(await client.callTool('echo', { message: 'héllo' })).toMatchObject({
      text: 'héllo',
      isError: false,
    });
    expect(await client.callTool('add', { a: 2, b: 3 })).toMatchObject({ text: '5', structured: { sum: 5 } });
    expect(await client.callTool('tool_2', {})).toMatchObject({ text: 'tool_2' });
    const fail = await client.callTool('fail', { message: 'no' });
    expect(fail).toMatchObject({ text: 'no', isError: true });
    const refused = client.callTool('rpc_error', { code: -32077, message: 'go away' });
    await expect(refused).rejects.toMatchObject({ code: -32077 });
    await expect(client.callTool('nowhere', {})).rejects.toMatchObject({ code: -32602 });
    const who = await client.callTool('whoami', {});
    expect(who.structured).toMatchObject({ name: 'fixture', transport, era });

    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
    const done = await client.callTool('progress', { steps: 3, everyMs: 50 }, { onprogress });
    expect(done.text).toBe('3 steps');
    if (flags.response === 'json') expect(seen).toEqual([]);
    else expectProgress(seen, 3);

    const abort = new AbortController();
    const slow = client.callTool('slow', { ms: 60_000 }, { signal: abort.signal });
    setTimeout(() => abort.abort('changed my mind'), 200);
    await expect(slow).rejects.toThrow();
    const via = era === 'modern' && transport === 'http' ? 'closed' : 'notification';
    await expect
      .poll(async () => (await client.callTool('cancelled', {})).structured, { timeout: 10_000 })
      .toMatchObject({ count: 1, calls: [{ tool: 'slow', via }], stray: [] });
  });

  // Without a session there is no stream for notifications.
  if (flags.session === 'stateless') return;

  it('announces changed tools', async () => {
    await using client = await connect(way, { tools: ['add_tool', 'remove_tool'] });
    let changes = 0;
    await client.onToolsChanged(() => changes++);
    // On legacy HTTP the stream may still be opening, so the test repeats the change until it is announced.
    await expect
      .poll(
        async () => {
          await client.callTool('add_tool', { name: 'new_one' });
          return changes;
        },
        { timeout: 10_000, interval: 100 },
      )
      .toBeGreaterThan(0);
    expect(await client.listTools()).toEqual(['add_tool', 'remove_tool', 'new_one']);
    await client.callTool('remove_tool', { name: 'new_one' });
    expect(await client.listTools()).toEqual(['add_tool', 'remove_tool']);
  });
});

const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}';
const ENVELOPE =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';

function request(method: string, params: string, id = '1'): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

describe('raw text', () => {
  it('of params is returned, and literal results and ids are written unchanged', async () => {
    await using pipe = openPipe(stdioCommand());
    pipe.write(INITIALIZE);
    expect(await pipe.read()).toContain('"protocolVersion":"2025-06-18"');

    const meta = '{"progressToken":12345678901234567890, "z":{"b":1.0,"a":"\\u00e9}\\""}}';
    const params = `{ "x":[1e2,-0],"name":"raw","arguments":{"n":99999999999999999999},"_meta":${meta} }`;
    pipe.write(request('tools/call', params, '98765432109876543210'));
    const text = JSON.stringify([{ type: 'text', text: params }]);
    expect(await pipe.read()).toBe(
      `{"jsonrpc":"2.0","id":98765432109876543210,"result":{"content":${text}}}`,
    );

    pipe.write(request('tools/call', `{"name":"meta","_meta":${meta}}`));
    expect(await pipe.read()).toContain(JSON.stringify(meta));
    pipe.write(request('tools/call', '{"name":"big_number","arguments":{"literal":"{\\"n\\":1.50}"}}'));
    expect(await pipe.read()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"n":1.50},"x-envelope":12345678901234567890}',
    );
    pipe.write(request('tools/call', `{"name":"progress","arguments":{"steps":1},"_meta":${meta}}`));
    expect(await pipe.read()).toContain('"progressToken":12345678901234567890,"progress":1,');
  });

  it('can be set through the environment', async () => {
    const env = { FIXTURE_LITERAL: '{"content":[], "n":1.0}', FIXTURE_ENVELOPE: '' };
    await using server = await startHttpServer({ env, response: 'json', session: 'stateless' });
    const answer = await post(server.url, request('tools/call', '{"name":"big_number"}'));
    expect(await answer.text()).toBe('{"jsonrpc":"2.0","id":1,"result":{"content":[], "n":1.0}}');
  });
});

describe('the modern era refuses', () => {
  it('what the specification requires, over HTTP', async () => {
    await using server = await startHttpServer({ era: 'modern' });
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
    const call = request('tools/call', `{"name":"echo","arguments":{"message":"hi"},${ENVELOPE}}`);
    const list = request('tools/list', `{${ENVELOPE}}`);
    const future = call.replaceAll('2026-07-28', '2099-01-01');
    const cases: [body: string, headers: Record<string, string>, status: number, code: number | undefined][] =
      [
        [call, modern, 200, undefined],
        [call, { ...modern, 'mcp-name': '=?base64?ZWNobw==?=' }, 200, undefined],
        [call, { ...modern, 'mcp-name': 'add' }, 400, -32020],
        [call, { ...modern, 'mcp-name': '' }, 400, -32020],
        [call, { ...modern, 'mcp-method': 'tools/list' }, 400, -32020],
        [call, { ...modern, 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
        [list, { ...modern, 'mcp-method': 'tools/list' }, 200, undefined],
        [future, { ...modern, 'mcp-protocol-version': '2099-01-01' }, 400, -32022],
        [request('tools/list', '{}'), { ...modern, 'mcp-method': 'tools/list' }, 400, -32602],
        [request('ping', `{${ENVELOPE}}`), { ...modern, 'mcp-method': 'ping' }, 404, -32601],
        [INITIALIZE, {}, 400, -32022],
        ['[]', modern, 400, -32600],
        ['{', modern, 400, -32700],
      ];
    for (const [body, headers, status, code] of cases) {
      const response = await post(server.url, body, headers);
      const [message = ''] = await messagesOf(response);
      const parsed = JSON.parse(message) as { error?: { code: number }; result?: { resultType: string } };
      expect([response.status, parsed.error?.code]).toEqual([status, code]);
      if (code === undefined) expect(parsed.result?.resultType).toBe('complete');
    }
    expect((await fetch(server.url)).status).toBe(405);
  });

  it('initialize on a pipe, and names its versions', async () => {
    await using pipe = openPipe(stdioCommand({ era: 'modern' }));
    pipe.write(INITIALIZE);
    expect(JSON.parse(await pipe.read())).toMatchObject({
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2025-06-18' } },
    });
    pipe.write(request('tools/list', '{}'));
    expect(await pipe.read()).toContain('-32602');
    pipe.write(request('server/discover', `{${ENVELOPE}}`));
    expect(await pipe.read()).toContain('"supportedVersions":["2026-07-28"]');
  });
});

describe('a dual server on a pipe', () => {
  it('answers server/discover first, then fixes the era of the first request', async () => {
    await using pipe = openPipe(stdioCommand({ era: 'dual' }));
    pipe.write(request('server/discover', `{${ENVELOPE}}`));
    expect(await pipe.read()).toContain('"supportedVersions"');
    pipe.write(INITIALIZE);
    expect(await pipe.read()).toContain('"serverInfo"');
    pipe.write(request('server/discover', `{${ENVELOPE}}`));
    expect(await pipe.read()).toContain('-32601');

    await using other = openPipe(stdioCommand({ era: 'dual' }));
    other.write(request('tools/list', `{${ENVELOPE}}`));
    expect(await other.read()).toContain('"resultType":"complete"');
    other.write(INITIALIZE);
    expect(await other.read()).toContain('-32022');
  });
});

describe('a legacy session over HTTP', () => {
  it('is required, and ends with DELETE', async () => {
    await using server = await startHttpServer({ response: 'json' });
    const ping = request('ping', '{}');
    const started = await post(server.url, INITIALIZE);
    const session = { 'mcp-session-id': started.headers.get('mcp-session-id') ?? '' };
    expect((await post(server.url, ping, session)).status).toBe(200);
    expect((await post(server.url, ping)).status).toBe(400);
    expect((await post(server.url, ping, { 'mcp-session-id': 'unknown' })).status).toBe(404);
    expect((await post(server.url, ping, { ...session, 'mcp-protocol-version': '2026-07-28' })).status).toBe(
      400,
    );
    expect((await fetch(server.url, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await post(server.url, ping, session)).status).toBe(404);
  });
});

describe('misbehaviour', () => {
  it('garbage precedes the answer, hang and exit never answer', async () => {
    await using pipe = openPipe(stdioCommand());
    pipe.write(INITIALIZE);
    await pipe.read();
    pipe.write(request('tools/call', '{"name":"hang"}', '"h"'));
    pipe.write(
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h","reason":"enough"}}',
    );
    pipe.write(request('tools/call', '{"name":"garbage"}'));
    expect(await pipe.read()).toBe('this is not JSON {');
    expect(await pipe.read()).toContain('unrequested');
    expect(await pipe.read()).toContain('after the garbage');
    pipe.write(request('tools/call', '{"name":"cancelled"}'));
    expect(await pipe.read()).toContain('{"id":"h","tool":"hang","reason":"enough","via":"notification"}');
    pipe.write(request('tools/call', '{"name":"big","arguments":{"bytes":1000000}}'));
    expect((await pipe.read()).length).toBeGreaterThan(1_000_000);
    pipe.write(request('tools/call', `{"name":"sink","arguments":{"data":"${'x'.repeat(1_000_000)}"}}`));
    expect(await pipe.read()).toContain('"text":"1000000"');
    pipe.write(request('tools/call', '{"name":"stderr_flood","arguments":{"bytes":1000000}}'));
    expect(await pipe.read()).toContain('1000000 bytes');
    pipe.write(request('tools/call', '{"name":"exit","arguments":{"code":7}}'));
    expect(await pipe.exited).toBe(7);
  });

  it('a server ends with its client, unless the flag says otherwise', async () => {
    await using polite = openPipe(stdioCommand());
    polite.end();
    expect(await polite.exited).toBe(0);

    await using stubborn = openPipe(stdioCommand({ ignoreStdinEnd: true, ignoreSigterm: true }));
    stubborn.write(INITIALIZE);
    await stubborn.read();
    stubborn.write(request('tools/call', '{"name":"spawn_grandchild"}'));
    const { result } = JSON.parse(await stubborn.read()) as {
      result: { structuredContent: { pid: number } };
    };
    stubborn.end();
    process.kill(stubborn.pid, 'SIGTERM');
    const ended = await Promise.race([
      stubborn.exited,
      new Promise((resolve) => setTimeout(resolve, 300, 'alive')),
    ]);
    expect(ended).toBe('alive');
    expect(process.kill(result.structuredContent.pid, 'SIGKILL')).toBe(true);
  });
});
