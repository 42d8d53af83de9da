/** Misbehaving clients, misbehaving servers over HTTP, and bad timing. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, listText, parseAnswer, request, textOf } from '../kit/messages.ts';
import { eventually, residentBytes } from '../kit/processes.ts';
import { openRaw, postText } from '../kit/raw-socket.ts';
import { httpServer, stdioServer } from '../kit/servers.ts';
import { whenInFlight } from '../kit/status.ts';
import { createLineReader } from '../servers/transports/lines.ts';

const MIB = 1024 * 1024;
const other = stdioServer({ tools: ['echo'] });
const OK = '{"content":[{"type":"text","text":"ok"}]}';
const MANY = `[${'1,'.repeat(1_000_001)}1]`;
const DEEP = `["${'A'.repeat(MIB)}",${'['.repeat(2_000)}${']'.repeat(2_000)}]`;

const expectWell = async (hub: TestHub): Promise<void> =>
  expect(textOf(await hub.call('other__echo', { message: 'well' }))).toBe('well');

interface Posted {
  /** The id as text. */
  id: string;
  session: string | undefined;
  response: ServerResponse;
  /** Answers with JSON. */
  answer(result: string): void;
}

interface Upstream extends AsyncDisposable {
  url: string;
  /** The session that it accepts; the next `initialize` changes it. */
  session: string;
}

/** A server over HTTP with one tool `t`, whose calls the test answers. */
async function openUpstream(onCall: (posted: Posted, upstream: Upstream) => void): Promise<Upstream> {
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat(await incoming.toArray()).toString();
    if (text === '') return void response.end();
    const { id, method } = JSON.parse(text) as { id?: unknown; method: string };
    const rawId = JSON.stringify(id);
    const answer = (result: string): void =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': upstream.session })
        .end(`{"jsonrpc":"2.0","id":${rawId},"result":${result}}`);
    const session = incoming.headers['mcp-session-id'] as string | undefined;
    if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize')
      answer('{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"u","version":"1"}}');
    else if (session !== upstream.session) response.writeHead(400).end('No valid session ID provided');
    else if (method === 'tools/list') answer('{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}');
    else onCall({ id: rawId, session, response, answer }, upstream);
  };
  const server = createServer((incoming, response) => void serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    session: 'first',
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return upstream;
}

describe('a server over HTTP', () => {
  it('that returns 400 for a forgotten session gets a new one', async () => {
    await using upstream = await openUpstream(({ answer }) => answer(OK));
    await using hub = await startHub({ servers: { web: httpServer(upstream.url) } });
    expect(textOf(await hub.call('web__t'))).toBe('ok');
    upstream.session = 'second';
    const refused = await hub.call('web__t');
    if (refused.error !== undefined) expect(refused.error.code).toBe(-32010);
    expect(await eventually(async () => textOf(await hub.call('web__t')) === 'ok')).toBe(true);
    for (let count = 0; count < 5; count++) expect(textOf(await hub.call('web__t'))).toBe('ok');
  });

  it('that keeps its streams open after the answer is disconnected, and all calls work', async () => {
    let open = 0;
    await using upstream = await openUpstream(({ id, response }) => {
      open++;
      response.on('close', () => open--);
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`data: {"jsonrpc":"2.0","id":${id},"result":${OK}}\n\n`);
    });
    await using hub = await startHub({ servers: { web: httpServer(upstream.url) } });
    const AT_ONCE = 30;
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => hub.call('web__t')));
      expect(answers.filter((answer) => textOf(answer) === 'ok')).toHaveLength(AT_ONCE);
    }
    expect(await eventually(() => open === 0)).toBe(true);
  });

  it.each([
    ['a million values', MANY],
    ['very deep ones', DEEP],
  ])('that answers with %s fails only that call', async (_what, value) => {
    let result = `{"content":[],"x":${value}}`;
    await using upstream = await openUpstream(({ answer }) => answer(result));
    await using hub = await startHub({ servers: { web: httpServer(upstream.url), other } });
    const lost = hub.call('web__t');
    await expectWell(hub);
    expect((await lost).error).toMatchObject({ code: -32011, data: { outcome: 'outcome_unknown' } });
    result = OK;
    expect(textOf(await hub.call('web__t'))).toBe('ok');
  });
});

describe('a client', () => {
  it.each([
    ['very many', MANY],
    ['very deep', DEEP],
  ])('that sends %s values is refused, and the next request works', async (_what, value) => {
    await using hub = await startHub({ servers: { other } });
    const { status, messages } = await hub.post(request('ping', `{"x":${value}}`));
    expect(status).toBe(400);
    expect(parseAnswer(messages.at(-1)!).error?.code).toBe(-32600);
    expect((await hub.post(request('ping'))).status).toBe(200);
    await expectWell(hub);
  });

  it('that offers HTTP/2 is answered in HTTP/1', async () => {
    await using hub = await startHub({ servers: { other } });
    await using raw = await openRaw(hub.origin);
    const lines = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    for (const id of ['1', '2']) {
      raw.write(postText(hub, callText('other__echo', { id, args: '{"message":"plain"}' }), lines));
      const response = await raw.response();
      expect(response?.status).toBe(200);
      expect(parseAnswer(response!.body)).toMatchObject({ id: Number(id) });
      expect(textOf(parseAnswer(response!.body))).toBe('plain');
    }
  });

  it('over stdio that sends much and does not read costs little, and gets all answers', async () => {
    const large = stdioServer({ tools: ['echo'], count: 5_000 - 1 });
    const config = { limits: { listPageSize: 5_000 } };
    await using hub = await startHub({ servers: { large }, config });
    const { body } = await hub.post(listText());
    expect(body.length).toBeGreaterThan(MIB / 2);
    const LISTS = Math.ceil((250 * MIB) / body.length);
    const before = residentBytes(hub.pid);
    const socket = await openPaused(hub);
    const ids = Array.from({ length: LISTS }, (_, index) => index + 1);
    socket.write(ids.map((id) => `${listText('legacy', String(id))}\n`).join(''));
    let highest = 0;
    for (let look = 0; look < 10; look++) {
      await sleep(50);
      highest = Math.max(highest, residentBytes(hub.pid));
    }
    expect(highest - before).toBeLessThan(100 * MIB);
    const answered: number[] = [];
    const onLine = (line: string): void => {
      const id = /"id":(\d+)/.exec(line.slice(0, 100))?.[1];
      if (line.startsWith('{') && id !== undefined) answered.push(Number(id));
    };
    socket.on('data', createLineReader(onLine)).resume();
    await eventually(() => answered.length >= LISTS);
    expect(answered).toEqual(ids);
    socket.destroy();
  });
});

/** Opens the connection of `pincer stdio`, so that the test decides when to read its socket. */
async function openPaused(hub: TestHub): Promise<Socket> {
  const { hostname, port } = new URL(hub.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(
    `GET /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${hub.token}\r\n` +
      'Connection: Upgrade\r\nUpgrade: pincer-stdio\r\n\r\n',
  );
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.pause();
  return socket;
}

it('a stopping hub lets calls finish, and reports the outcome of the others as unknown', async () => {
  await using hub = await startHub({ servers: { one: stdioServer({ tools: ['slow'] }) } });
  const short = hub.call('one__slow', { ms: 700 });
  const piped = hub.stdio().ask(callText('one__slow', { args: '{"ms":700}' }));
  const long = hub.call('one__slow', { ms: 600_000 });
  await whenInFlight(hub, 'one', 3);
  const code = hub.stop();
  expect(textOf(await short)).toBe('waited 700 ms');
  expect(textOf(parseAnswer(await piped))).toBe('waited 700 ms');
  expect((await long).error).toMatchObject({ code: -32011, data: { outcome: 'outcome_unknown' } });
  expect(await code).toBe(0);
});

describe('adding a server', () => {
  const read = (hub: TestHub): Record<string, object> =>
    JSON.parse(readFileSync(join(hub.home, 'config.json'), 'utf8')) as Record<string, object>;

  it('keeps changes that were written while the server was starting', async () => {
    await using hub = await startHub({ servers: {} });
    const add = (name: string, config: object) => hub.control('POST', 'servers', { name, config });
    const slow = add('slow', stdioServer({ tools: ['echo'], startDelay: 1_000 }));
    expect((await add('quick', other)).status).toBe(200);
    expect(Object.keys(read(hub)['servers']!)).toEqual(['quick']);
    writeFileSync(
      join(hub.home, 'config.json'),
      JSON.stringify({ ...read(hub), limits: { slotWaitMs: 60 } }),
    );
    expect((await slow).status).toBe(200);
    expect(Object.keys(read(hub)['servers']!).sort()).toEqual(['quick', 'slow']);
    expect(read(hub)['limits']).toEqual({ slotWaitMs: 60 });
  });

  it('does not replace a disabled server', async () => {
    const off = { ...stdioServer(), enabled: false, env: { KEEP: 'me' } };
    await using hub = await startHub({ servers: { off } });
    const { status, value } = await hub.control('POST', 'servers', { name: 'off', config: other });
    expect(status).toBe(409);
    expect(value).toMatchObject({ error: { code: 'SERVER_EXISTS' } });
    expect(read(hub)['servers']).toEqual({ off });
  });
});

describe('a token', () => {
  it('for one server sees neither the others nor their metrics', async () => {
    await using hub = await startHub({ servers: { a: other, b: other } });
    const { value } = await hub.control('POST', 'tokens', { name: 'guest', servers: ['a'] });
    const guest = hub.connect((value as { token: string }).token);
    const get = { path: '/metrics', method: 'GET' } as const;
    expect((await guest.post(listText(), { path: '/mcp/a' })).status).toBe(200);
    const hidden = await guest.post(listText(), { path: '/mcp/b' });
    const missing = await guest.post(listText(), { path: '/mcp/nowhere' });
    expect([hidden.status, hidden.body]).toEqual([404, missing.body]);
    expect((await guest.post('', get)).status).toBe(404);
    expect((await hub.post('', get)).status).toBe(200);
  });

  it('whose file is emptied is no longer accepted', async () => {
    await using hub = await startHub({ servers: { other } });
    const path = join(hub.home, 'mcp-token.txt');
    const status = async (): Promise<number> => (await hub.post(request('ping'))).status;
    expect(await status()).toBe(200);
    writeFileSync(path, '');
    expect(await eventually(async () => (await status()) === 401)).toBe(true);
    writeFileSync(path, hub.token);
    expect(await eventually(async () => (await status()) === 200)).toBe(true);
  });
});
