/** Invalid messages on every surface: each is answered, nothing runs, and the next valid one works. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import type { Connection } from '../kit/http.ts';
import { callText, parseAnswer, paramsText, request, textOf } from '../kit/messages.ts';
import { stdioServer } from '../kit/servers.ts';
import type { StdioClient } from '../kit/stdio.ts';

const TOOL = '"name":"TOOL"';
/** `TOOL` is the name of `add_tool` on the surface. The last column is the id in the answer. */
const BAD: [label: string, text: string, code: number, id?: string][] = [
  ['no JSON', '{"jsonrpc":"2.0","id":1,"method":', -32700],
  ['a word', 'hello', -32700],
  [
    'two messages',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
    -32700,
  ],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"ping",}', -32700],
  ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
  ['an empty batch', '[]', -32600],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TOOL"}}]', -32600],
  ['null', 'null', -32600],
  ['a number', '1', -32600],
  ['a string', '"tools/call"', -32600],
  ['an empty object', '{}', -32600],
  ['no version', '{"id":1,"method":"tools/call","params":{"name":"TOOL"}}', -32600, '1'],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"TOOL"}}', -32600, '1'],
  ['a version that is a number', '{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600, '1'],
  ['a null id', '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"TOOL"}}', -32600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600],
  ['an id that is a truth', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":7}', -32600, '1'],
  ['a method that is null', '{"jsonrpc":"2.0","id":1,"method":null}', -32600, '1'],
  ['neither method nor result', '{"jsonrpc":"2.0","id":1}', -32600, '1'],
  ['result and error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', -32600, '1'],
  ['a result without an id', '{"jsonrpc":"2.0","result":{}}', -32600],
  ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["TOOL"]}', -32602, '1'],
  ['params that are a string', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"TOOL"}', -32602, '1'],
  ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}', -32602, '1'],
  ['an unknown method', request('tools/frobnicate'), -32601, '1'],
  ['a method with spaces', request(' tools/call', `{${TOOL}}`), -32601, '1'],
  ['an inherited method', request('constructor'), -32601, '1'],
  ['a method of another era', request('server/discover'), -32602, '1'],
  ['no tool', request('tools/call'), -32602, '1'],
  ['a tool that is a number', request('tools/call', '{"name":7}'), -32602, '1'],
  ['a tool that does not exist', request('tools/call', '{"name":"nowhere"}'), -32602, '1'],
  ['an empty tool', request('tools/call', '{"name":""}'), -32602, '1'],
  ['an inherited tool', request('tools/call', '{"name":"__proto__"}'), -32602, '1'],
  ['arguments that are a list', request('tools/call', `{${TOOL},"arguments":[]}`), -32602, '1'],
  ['arguments that are a string', request('tools/call', `{${TOOL},"arguments":"{}"}`), -32602, '1'],
  ['arguments that are null', request('tools/call', `{${TOOL},"arguments":null}`), -32602, '1'],
  ['_meta that is a list', request('tools/call', `{${TOOL},"_meta":[]}`), -32602, '1'],
  ['an unknown cursor', request('tools/list', '{"cursor":"x"}'), -32602, '1'],
  ['a cursor that is a number', request('tools/list', '{"cursor":7}'), -32602, '1'],
];
const MODERN: typeof BAD = [
  ['an unknown method', request('tools/frobnicate', paramsText('modern', '')), -32601, '1'],
  ['initialize', request('initialize', paramsText('modern', '')), -32601, '1'],
  ['ping', request('ping', paramsText('modern', '')), -32601, '1'],
  ['a tool that does not exist', callText('nowhere', { era: 'modern' }), -32602, '1'],
];

let hub: TestHub;
let connections: Record<string, Connection>;
let stdio: StdioClient;

beforeAll(async () => {
  hub = await startHub({
    servers: { pipe: stdioServer({ era: 'dual' }), other: stdioServer({ tools: ['echo'] }) },
  });
  connections = { '/mcp': hub.connect(), '/mcp/pipe': hub.connect() };
  stdio = hub.stdio();
});
afterAll(async () => {
  const { value } = await hub.control('GET', 'tools?server=pipe');
  await hub[Symbol.asyncDispose]();
  expect((value as { name: string }[]).map(({ name }) => name)).not.toContain('ran');
});

const withTool = (text: string, tool: string): string =>
  text.replace('TOOL', tool).replace(`"name":"${tool}"`, `"name":"${tool}","x":1`);

describe.each(['/mcp', '/mcp/pipe'])('POST %s', (path) => {
  const prefix = path === '/mcp' ? 'pipe__' : '';

  it.each(BAD)('%s', async (_label, text, code, id = 'null') => {
    const connection = connections[path]!;
    const reply = await connection.post(withTool(text, `${prefix}add_tool`), { path });
    const isKnownMethod =
      code === -32601 || (code === -32602 && !/"(?:params|_meta)":(?:\[|"|null)/.test(text));
    expect(reply.status).toBe(isKnownMethod && !text.includes('discover') ? 200 : 400);
    expect(reply.messages).toHaveLength(1);
    const answer = parseAnswer(reply.messages[0]!);
    expect(answer.error?.code ?? answer).toBe(code);
    expect(JSON.stringify(answer.id)).toBe(id);
    const good = await connection.post(callText(`${prefix}echo`, { args: '{"message":"well"}' }), { path });
    expect(textOf(parseAnswer(good.messages.at(-1)!))).toBe('well');
  });

  it.each(MODERN)('modern: %s', async (_label, text, code) => {
    const { method, params } = JSON.parse(text) as { method: string; params: { name?: string } };
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
    };
    const reply = await connections[path]!.post(text, { path, headers });
    expect(parseAnswer(reply.messages[0]!).error?.code).toBe(code);
    if (code === -32601) expect(reply.status).toBe(404);
  });

  it('refuses bytes that are not UTF-8, and an empty body', async () => {
    const connection = connections[path]!;
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","x":"\xff\xfe"}', 'latin1');
    for (const body of [bytes, Buffer.from('  \r\n')]) {
      const reply = await connection.post(body, { path });
      expect([reply.status, parseAnswer(reply.body).error?.code]).toEqual([400, -32700]);
    }
    expect((await connection.post('', { path })).status).toBe(400);
    expect((await connection.post(request('ping'), { path })).status).toBe(200);
  });

  it('refuses ten thousand nested brackets', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const args = `{"message":"deep","deep":${deep}}`;
    const reply = await connections[path]!.post(callText(`${prefix}echo`, { args }), { path });
    expect(textOf(parseAnswer(reply.messages.at(-1)!))).toBe('deep');
    const bare = await connections[path]!.post('['.repeat(1_000_000), { path });
    expect(parseAnswer(bare.body).error?.code).toBe(-32700);
  });
});

describe('stdio', () => {
  it.each([...BAD, ...MODERN])('%s', async (_label, text, code, id = 'null') => {
    stdio.send(withTool(text, 'pipe__add_tool'));
    const answer = parseAnswer(await stdio.take());
    expect(answer.error?.code ?? answer).toBe(code);
    expect(JSON.stringify(answer.id)).toBe(id);
    const good = await stdio.ask(callText('pipe__echo', { id: '"good"', args: '{"message":"well"}' }));
    expect(textOf(parseAnswer(good))).toBe('well');
  });

  it('ignores empty lines, spaces and unrequested answers', async () => {
    for (const line of ['', ' ', '\r', '\t\t', '{"jsonrpc":"2.0","id":9,"result":{}}']) stdio.send(line);
    expect(await stdio.ask(request('ping', '{}', '"after"'))).toContain('"result":{}');
    expect(stdio.untaken).toEqual([]);
  });
});
