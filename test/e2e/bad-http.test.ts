/** Invalid HTTP: each request is answered or cut off, nothing runs, and the next valid one works. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, listText, modernHeaders, parseAnswer, textOf, type Headers } from '../kit/messages.ts';
import { openRaw, postText } from '../kit/raw-socket.ts';
import { stdioServer } from '../kit/servers.ts';
import { verifies } from '../verifies.ts';

const MAX_BYTES = 100_000;
const limits = { maxMessageBytes: MAX_BYTES, bodyTimeoutMs: 700 };

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub({ servers: { pipe: stdioServer({ era: 'dual' }) }, config: { limits } });
});
afterAll(() => hub[Symbol.asyncDispose]());

const GOOD = callText('pipe__echo', { args: '{"message":"well"}' });
const expectWell = async (): Promise<void> => {
  const { messages } = await hub.connect().post(GOOD);
  expect(textOf(parseAnswer(messages.at(-1)!))).toBe('well');
};

describe('the head', () => {
  it.each(['text/plain', 'application/json-rpc', 'application/jsonp', 'multipart/form-data', ''])(
    'returns 415 for content type "%s" and keeps the connection',
    async (type) => {
      verifies('000-security-content-type');
      await using connection = hub.connect();
      expect((await connection.post(GOOD, { headers: { 'content-type': type } })).status).toBe(415);
      expect((await connection.post(GOOD)).status).toBe(200);
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'accepts content type "%s"',
    async (type) => {
      expect((await hub.post(GOOD, { headers: { 'content-type': type } })).status).toBe(200);
    },
  );

  it.each(['GET', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE'] as const)(
    'returns 405 for %s',
    async (method) => {
      for (const path of ['/mcp', '/mcp/pipe']) {
        const reply = await hub.post('', { method, path });
        expect(reply.status).toBe(405);
        expect(String(reply.headers['allow'])).toContain('POST');
      }
      if (method !== 'GET' && method !== 'HEAD')
        expect((await hub.post('', { method, path: '/health' })).status).toBe(405);
      await expectWell();
    },
  );

  it('returns 404 for an unknown session and 400 for an unknown version', async () => {
    const session = await hub.post(GOOD, { headers: { 'mcp-session-id': 'nobody' } });
    expect(session.status).toBe(404);
    const version = await hub.post(GOOD, { headers: { 'mcp-protocol-version': '1999-01-01' } });
    expect([version.status, parseAnswer(version.body).error?.code]).toEqual([400, -32022]);
    const ended = await hub.post('', { method: 'DELETE', headers: { 'mcp-session-id': 'nobody' } });
    expect(ended.status).toBe(404);
  });
});

describe('the modern envelope', () => {
  const call = callText('pipe__echo', { era: 'modern', args: '{"message":"well"}' });
  const right = modernHeaders('tools/call', 'pipe__echo');
  const CASES: [string, string, Headers, number][] = [
    ['another method in the header', call, { ...right, 'mcp-method': 'tools/list' }, -32020],
    ['no method in the header', call, { ...right, 'mcp-method': '' }, -32020],
    ['another tool in the header', call, { ...right, 'mcp-name': 'pipe__exit' }, -32020],
    ['no tool in the header', call, { ...right, 'mcp-name': '' }, -32020],
    ['no version in the header', call, { ...right, 'mcp-protocol-version': '' }, -32020],
    ['another version in the header', call, { ...right, 'mcp-protocol-version': '2025-11-25' }, -32020],
    ['a modern header on a legacy body', GOOD, right, -32602],
    ['no capabilities', call.replace(/,"[^"]*clientCapabilities":\{\}/, ''), right, -32602],
    [
      'capabilities that are a list',
      call.replace('clientCapabilities":{}', 'clientCapabilities":[]'),
      right,
      -32602,
    ],
    [
      'a version that does not exist',
      call.replace('2026-07-28', '2099-01-01'),
      { ...right, 'mcp-protocol-version': '2099-01-01' },
      -32022,
    ],
  ];
  it.each(CASES)('%s', async (_label, body, headers, code) => {
    await using connection = hub.connect();
    const reply = await connection.post(body, { headers });
    expect([reply.status, parseAnswer(reply.body).error?.code]).toEqual([400, code]);
    if (code === -32022)
      expect(parseAnswer(reply.body).error?.data).toMatchObject({
        requested: '2099-01-01',
        supported: expect.arrayContaining(['2026-07-28', '2025-11-25']) as string[],
      });
    const good = await connection.post(call, { headers: right });
    expect(textOf(parseAnswer(good.messages.at(-1)!))).toBe('well');
  });

  it('reads a base64-encoded tool name', async () => {
    const encoded = `=?base64?${Buffer.from('pipe__echo').toString('base64')}?=`;
    expect((await hub.post(call, { headers: { ...right, 'mcp-name': encoded } })).status).toBe(200);
    expect((await hub.post(listText('modern'), { headers: modernHeaders('tools/list') })).status).toBe(200);
  });
});

describe('the body', () => {
  const padded = (bytes: number): string => GOOD + ' '.repeat(bytes - GOOD.length);

  it('of the maximum size is accepted; one byte more returns 413', async () => {
    await using connection = hub.connect();
    expect((await connection.post(padded(MAX_BYTES))).status).toBe(200);
    const reply = await connection.post(padded(MAX_BYTES + 1));
    expect(reply.status).toBe(413);
    await expectWell();
  });

  it('streamed beyond the maximum returns 413 before its end', async () => {
    await using raw = await openRaw(hub.origin);
    raw.write(postText(hub, '', ['Transfer-Encoding: chunked']));
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    for (let sent = 0; sent <= MAX_BYTES; sent += 0x4000) raw.write(chunk);
    expect((await raw.response())?.status).toBe(413);
    await expectWell();
  });

  it('declared larger than the maximum returns 413 at once', async () => {
    for (const length of ['100001', '99999999999', '9007199254740993']) {
      await using raw = await openRaw(hub.origin);
      raw.write(postText(hub, '{', [`Content-Length: ${length}`]));
      expect((await raw.response())?.status).toBe(413);
    }
    await expectWell();
  });

  it('that does not arrive returns 408', async () => {
    await using raw = await openRaw(hub.origin);
    raw.write(postText(hub, '{"jsonrpc":"2.0"', ['Content-Length: 1000']));
    expect((await raw.response())?.status).toBe(408);
    await using drip = await openRaw(hub.origin);
    drip.write(postText(hub, '', ['Content-Length: 1000']));
    const timer = setInterval(() => drip.write(' '), 100);
    expect((await drip.response())?.status).toBe(408);
    clearInterval(timer);
    await expectWell();
  });

  it('that is cut off runs nothing', async () => {
    const body = callText('pipe__add_tool', { args: '{"name":"ran"}' });
    for (const cut of [1, body.length - 1]) {
      const raw = await openRaw(hub.origin);
      raw.write(postText(hub, body).slice(0, cut - body.length - 1 || undefined));
      raw.socket.destroy();
    }
    await expectWell();
    const { value } = await hub.control('GET', 'tools?server=pipe');
    expect((value as { name: string }[]).some(({ name }) => name === 'ran')).toBe(false);
  });
});
