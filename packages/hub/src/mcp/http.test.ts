import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STRANGER } from '../core/client.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import type { Log } from '../core/ports.ts';
import type { Message } from '../core/wire/message.ts';
import type { Sender } from './dispatch.ts';
import { createMcpHttp, type McpHttp } from './http.ts';
import type { Reply } from './reply.ts';
import { createSessions } from './sessions.ts';
import { createSlots, type Slots } from './slots.ts';

const QUIET: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
/** The test controls the time; open requests are checked every 5 ms. */
const LIMITS = {
  ...DEFAULT_LIMITS,
  maxMessageBytes: 2_000,
  maxCalls: 4,
  maxCallsPerCredential: 2,
  slotWaitMs: 20,
  bodyTimeoutMs: 10,
};

interface Asked {
  readonly message: Message;
  readonly sender: Sender;
  readonly reply: Reply;
  readonly cancelled: string[];
}

let server: Server;
let http: McpHttp;
let slots: Slots;
let asked: Asked[];
let onAsked: (entry: Asked) => void;
let rejected: number[];
let time = 0;

const result = (id: string): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

beforeEach(async () => {
  asked = [];
  rejected = [];
  slots = createSlots(LIMITS);
  onAsked = ({ message, reply }) => {
    if (message.id === undefined) reply.accept();
    else reply.answer(result(message.id), 200);
  };
  http = createMcpHttp({
    slots,
    limits: LIMITS,
    log: QUIET,
    elapsed: () => time,
    sessions: createSessions(LIMITS, () => 0),
    isValid: () => true,
    onClient: () => () => undefined,
    onRejected: (status) => void rejected.push(status),
    dispatch(message, sender, reply) {
      const entry: Asked = { message, sender, reply, cancelled: [] };
      asked.push(entry);
      onAsked(entry);
      return { cancel: (reason) => void entry.cancelled.push(reason) };
    },
  });
  server = createServer((request, response) => {
    const id = String(request.headers['x-caller'] ?? 'a');
    http.handle(request, response, { id, name: id, scopes: {} }, undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  http.close();
  server.closeAllConnections();
  server.close();
});

type Headers = Record<string, string>;

/** Sends a request; the test reads the answer. */
function open(body: string | Buffer, headers: Headers = {}, method = 'POST') {
  const sent = httpRequest({
    port: (server.address() as AddressInfo).port,
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  sent.on('error', () => undefined);
  const response = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.end(body);
  return { sent, response };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function send(body: string | Buffer, headers: Headers = {}, method = 'POST'): Promise<Answer> {
  const [response] = await open(body, headers, method).response;
  return { status: response.statusCode!, headers: response.headers, body: await text(response) };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}';
const until = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 2 }).toBe(true);
const allFree = (): Promise<void> => until(() => slots.inUse === 0);

describe('a message', () => {
  it('is answered with one JSON document', async () => {
    const answer = await send(PING);
    expect(answer).toMatchObject({ status: 200, body: result('1') });
    expect(answer.headers['content-type']).toBe('application/json');
    await allFree();
  });

  it('that is a notification is accepted without a body', async () => {
    expect(await send('{"jsonrpc":"2.0","method":"n"}')).toMatchObject({ status: 202, body: '' });
    await allFree();
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON ;x=y'])(
    'may be of type %s',
    async (type) => {
      expect((await send(PING, { 'content-type': type })).status).toBe(200);
    },
  );

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'text/json',
    'multipart/form-data',
    '',
  ])('may not be of type %j', async (type) => {
    expect((await send(PING, { 'content-type': type })).status).toBe(415);
    expect(asked).toEqual([]);
    await allFree();
  });

  it.each([
    ['{', -32700, 'null'],
    ['', -32700, 'null'],
    ['[]', -32600, 'null'],
    [Buffer.from([0x22, 0xff, 0x22]), -32700, 'null'],
    ['{"jsonrpc":"2.0","id":7,"method":"a","params":[]}', -32602, '7'],
    ['{"jsonrpc":"2.0","id":7,"method":"a","params":{"name":1,"name":2}}', -32600, '7'],
  ])('that is malformed returns 400: %s', async (body, code, id) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(`"id":${id},"error":{"code":${code},`);
    expect(rejected).toEqual([400]);
    await allFree();
  });

  it('that is too large is refused, with or without a declared length', async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2_000)}"}`;
    const declared = await send(body, { 'content-length': String(body.length) });
    const streamed = await send(body, { 'transfer-encoding': 'chunked' });
    expect([declared.status, streamed.status]).toEqual([413, 413]);
    expect(declared.headers.connection).toBe('close');
    expect(asked).toEqual([]);
    await allFree();
  });

  it.each(['GET', 'PUT', 'PATCH', 'OPTIONS'])('cannot be sent with %s', async (method) => {
    const answer = await send('', {}, method);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST, GET, DELETE');
  });
});

describe('a session', () => {
  const initialize = async (headers: Headers = {}): Promise<string> => {
    const answer = await send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', headers);
    return answer.headers['mcp-session-id'] as string;
  };

  it('is created by initialize and found again', async () => {
    const id = await initialize();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    await send(PING, { 'mcp-session-id': id });
    expect(asked.map(({ sender }) => sender.client.session)).toEqual([id, id]);
    expect(asked[0]!.sender.legacy).toBe(asked[1]!.sender.legacy);
    expect(asked[0]!.sender.running).toBe(asked[1]!.sender.running);
  });

  it('is optional', async () => {
    await send(PING);
    expect(asked[0]!.sender).toMatchObject({ client: STRANGER, legacy: undefined });
  });

  it('that is unknown, ended or another credential’s returns the same 404', async () => {
    const mine = await initialize();
    const ended = await initialize();
    expect((await send('', { 'mcp-session-id': ended }, 'DELETE')).status).toBe(204);
    const answers = [
      await send(PING, { 'mcp-session-id': 'unknown' }),
      await send(PING, { 'mcp-session-id': ended }),
      await send(PING, { 'mcp-session-id': mine, 'x-caller': 'b' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect((await send(PING, { 'mcp-session-id': mine })).status).toBe(200);
  });

  it('is ended only by its owner, and its calls are cancelled', async () => {
    const id = await initialize();
    onAsked = ({ message, sender }) =>
      sender.running.set(message.id!, { cancel: (reason) => void asked.at(-1)!.cancelled.push(reason) });
    const { response } = open(CALL, { 'mcp-session-id': id });
    await until(() => asked.length === 2);
    expect((await send('', { 'mcp-session-id': id, 'x-caller': 'b' }, 'DELETE')).status).toBe(404);
    expect(asked[1]!.cancelled).toEqual([]);
    expect((await send('', { 'mcp-session-id': id }, 'DELETE')).status).toBe(204);
    expect(asked[1]!.cancelled).toEqual(['the session ended']);
    asked[1]!.reply.answer(result('1'), 200);
    await response;
  });

  it('does not exist in the modern era: DELETE returns 405, and so it does without an id', async () => {
    const id = await initialize();
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2026-07-28' };
    expect((await send('', headers, 'DELETE')).status).toBe(405);
    expect((await send('', {}, 'DELETE')).status).toBe(405);
  });
});

describe('the era', () => {
  const META =
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
  const modernCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",${META}}}`;
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' };

  it('is detected from the message', async () => {
    await send(PING);
    await send(PING, { 'mcp-protocol-version': '2025-06-18' });
    await send(modernCall, headers);
    expect(asked.map(({ sender }) => sender.era)).toEqual(['legacy', 'legacy', 'modern']);
  });

  it('modern: the client is described by the request, and its headers can be read', async () => {
    await send(modernCall, { ...headers, 'mcp-param-region': 'eu' });
    const { client, legacy, headers: headersOf } = asked[0]!.sender;
    expect(client.session).toBeUndefined();
    expect(legacy).toBeUndefined();
    expect([headersOf!('Mcp-Param-Region'), headersOf!('Mcp-Param-Other')]).toEqual(['eu', undefined]);
  });

  it.each<[string, string, Headers, number]>([
    ['another name', modernCall, { ...headers, 'mcp-name': 'y' }, -32020],
    ['another method', modernCall, { ...headers, 'mcp-method': 'tools/list' }, -32020],
    ['no headers at all', modernCall, {}, -32020],
    ['no envelope', CALL, headers, -32602],
    ['an unknown version', PING, { 'mcp-protocol-version': '1999-01-01' }, -32022],
  ])('modern: headers must match the body: %s', async (_what, body, given, code) => {
    const answer = await send(body, given);
    expect(answer.status).toBe(400);
    expect(answer.body).toContain(`"code":${code}`);
    expect(asked).toEqual([]);
  });
});

describe('before the answer', () => {
  it('notifications turn it into an event stream', async () => {
    onAsked = ({ reply }) => {
      reply.notify('{"jsonrpc":"2.0",\n"method":"notifications/progress"}');
      reply.answer(result('1'), 200);
    };
    const answer = await send(CALL);
    expect(answer.headers['content-type']).toBe('text/event-stream');
    expect(answer.body).toBe(
      `event: message\ndata: {"jsonrpc":"2.0", "method":"notifications/progress"}\n\nevent: message\ndata: ${result('1')}\n\n`,
    );
    await allFree();
  });

  it('a client that does not accept streams gets only the answer', async () => {
    onAsked = ({ reply }) => {
      reply.notify('{"jsonrpc":"2.0","method":"notifications/progress"}');
      reply.answer(result('1'), 200);
    };
    expect(await send(CALL, { accept: 'application/json' })).toMatchObject({
      status: 200,
      body: result('1'),
    });
  });

  it('bytes are passed through unchanged', async () => {
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"text":"größe 🦀"}}');
    onAsked = ({ reply }) => reply.answer(bytes.toString('latin1'), 200);
    const answer = await send(CALL);
    expect(answer.body).toBe(bytes.toString('utf8'));
    expect(answer.headers['content-length']).toBe(String(bytes.length));
  });

  it('an answer is sent once', async () => {
    onAsked = ({ reply }) => {
      reply.answer(result('1'), 200);
      reply.answer(result('2'), 200);
      reply.accept();
      reply.notify('{}');
    };
    expect((await send(CALL)).body).toBe(result('1'));
    await allFree();
  });
});

describe('a client that disconnects', () => {
  it('cancels its call and releases its slot', async () => {
    onAsked = () => undefined;
    const { sent, response } = open(CALL);
    response.catch(() => undefined);
    await until(() => asked.length === 1);
    expect(slots.inUse).toBe(1);
    sent.destroy();
    await until(() => asked[0]!.cancelled.length === 1);
    expect(asked[0]!.cancelled).toEqual(['the client went away']);
    asked[0]!.reply.answer(result('1'), 200);
    await allFree();
  });
});

describe('a client that sends its timeout', () => {
  it('gets the outcome of its call when the time is up', async () => {
    onAsked = () => undefined;
    const { response } = open(CALL, { 'pincer-wait-ms': '20' });
    await until(() => asked[0]?.cancelled.length === 1);
    expect(asked[0]!.cancelled).toEqual(['no answer within 20 ms']);
    asked[0]!.reply.answer(result('1'), 200);
    expect(await text((await response)[0])).toBe(result('1'));
  });

  it.each(['soon', '-1', '0', '1e12'])('%j cancels nothing', async (wait) => {
    onAsked = () => undefined;
    const { response } = open(CALL, { 'pincer-wait-ms': wait });
    await until(() => asked.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    asked[0]!.reply.answer(result('1'), 200);
    expect(await text((await response)[0])).toBe(result('1'));
    expect(asked[0]!.cancelled).toEqual([]);
  });
});

describe('a client that disconnects while it waits for a slot', () => {
  it('takes none', async () => {
    onAsked = () => undefined;
    const held = [open(CALL), open(CALL)];
    await until(() => asked.length === 2);
    const closed = Promise.withResolvers<void>();
    server.once('request', (_request, response) => void response.on('close', () => closed.resolve()));
    const waiting = open(CALL);
    waiting.response.catch(() => undefined);
    await until(() => server.listenerCount('request') === 1);
    waiting.sent.destroy();
    await closed.promise;
    for (const { reply } of asked) reply.answer(result('1'), 200);
    for (const { response } of held) (await response)[0].resume();
    await allFree();
    expect(asked).toHaveLength(2);
    onAsked = ({ reply }) => reply.answer(result('1'), 200);
    expect((await send(CALL)).status).toBe(200);
  });
});

describe('slots', () => {
  it('are held until the answer, and one more call returns 503', async () => {
    onAsked = () => undefined;
    const held = [open(CALL), open(CALL)];
    await until(() => asked.length === 2);
    const refused = await send(CALL);
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.body).toContain('"code":-32010');
    const other = open(CALL, { 'x-caller': 'b' });
    await until(() => asked.length === 3);
    for (const { reply } of asked) reply.answer(result('1'), 200);
    for (const { response } of [...held, other]) {
      const [{ statusCode }] = await response;
      expect(statusCode).toBe(200);
    }
    server.closeAllConnections();
    await allFree();
  });
});

describe('without a slot', () => {
  const fill = async (): Promise<void> => {
    onAsked = () => undefined;
    for (const { response } of [open(CALL), open(CALL)]) response.catch(() => undefined);
    await until(() => asked.length === 2);
  };
  const empty = async (): Promise<void> => {
    for (const { reply } of asked) reply.answer(result('1'), 200);
    server.closeAllConnections();
    await allFree();
  };

  it('a client can still cancel', async () => {
    await fill();
    onAsked = ({ reply }) => reply.accept();
    const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
    expect((await send(cancel)).status).toBe(202);
    expect(asked[2]!.message.method).toBe('notifications/cancelled');
    expect(slots.inUse).toBe(2);
    await empty();
  });

  it('a client can still answer a question that a call waits for', async () => {
    await fill();
    onAsked = ({ reply }) => reply.accept();
    expect((await send('{"jsonrpc":"2.0","id":"q","result":{}}')).status).toBe(202);
    expect(asked[2]!.message.result).toBe('{}');
    await empty();
  });

  it('a session can still be ended', async () => {
    const answer = await send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
    const id = answer.headers['mcp-session-id'] as string;
    asked = [];
    await fill();
    expect((await send('', { 'mcp-session-id': id }, 'DELETE')).status).toBe(204);
    await empty();
  });

  it.each(['', CALL.padEnd(70_000)])('no other body is read', async (body) => {
    await fill();
    const refused = await send(body, body === '' ? { 'transfer-encoding': 'chunked' } : {});
    expect(refused.status).toBe(503);
    expect(asked).toHaveLength(2);
    await empty();
  });
});

describe('time', () => {
  it('ends a body that does not arrive', async () => {
    const { sent, response } = open('', { 'content-length': '100' });
    sent.on('error', () => undefined);
    await until(() => slots.inUse === 1);
    time += LIMITS.bodyTimeoutMs;
    const [{ statusCode, headers }] = await response;
    expect([statusCode, headers.connection]).toEqual([408, 'close']);
    expect(asked).toEqual([]);
    await allFree();
  });

  it('sends keep-alives during a long call', async () => {
    onAsked = () => undefined;
    const { response } = open(CALL);
    await until(() => asked.length === 1);
    time += LIMITS.keepAliveMs;
    const [answer] = await response;
    const [first] = (await once(answer, 'data')) as [Buffer];
    expect(first.toString()).toBe(': still working\n\n');
    asked[0]!.reply.answer(result('1'), 200);
    expect(await text(answer)).toBe(`event: message\ndata: ${result('1')}\n\n`);
    await allFree();
  });
});
