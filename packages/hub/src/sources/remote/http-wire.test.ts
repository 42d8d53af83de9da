import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandExchange, toolRequest, type RequestParts } from '../../../../../test/kit/hand-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { Connection } from './connection.ts';
import { encodeHeader, openHttpWire } from './http-wire.ts';
import { negotiate } from './negotiate.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly message: { id?: string; method?: string; params?: Record<string, unknown> };
}
type Answer = (received: Received, response: ServerResponse) => void;

let server: Server;
let origin: string;
let received: Received[];
/** What the server does by method; what is not here is answered 500. */
let answers: Record<string, Answer>;
let warnings: string[];
let connection: Connection;
let closed: PincerError[];

const json =
  (result: string, headers: Record<string, string> = {}): Answer =>
  ({ message }, response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(`{"jsonrpc":"2.0","id":"${message.id}","result":${result}}`);
  };
const status =
  (code: number): Answer =>
  (_received, response) =>
    void response.writeHead(code).end();
const INITIALIZED =
  '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"x","version":"1"}}';
const DISCOVERED = '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}';

beforeEach(async () => {
  received = [];
  warnings = [];
  closed = [];
  answers = {
    initialize: json(INITIALIZED, { 'mcp-session-id': 'session-1' }),
    'notifications/initialized': status(202),
    'notifications/cancelled': status(202),
    DELETE: status(200),
  };
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = (body === '' ? {} : JSON.parse(body)) as Received['message'];
      const entry = {
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        text: body,
        message,
      };
      received.push(entry);
      (answers[request.method === 'POST' ? (message.method ?? 'answer') : request.method!] ?? status(500))(
        entry,
        response,
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  connection = open();
});
afterEach(async () => {
  await connection.close(new PincerError('SERVER_GONE', 'The test is over.'));
  server.closeAllConnections();
  server.close();
});

function open(over: { url?: string; maxMessageBytes?: number } = {}): Connection {
  const note = (message: string): void => void warnings.push(message);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  return new Connection({
    server: 's',
    openWire: openHttpWire({
      server: 's',
      url: new URL(over.url ?? `${origin}/mcp?tenant=1`),
      headers: { authorization: 'Bearer key-1', 'x-own': 'yes' },
      connectTimeoutMs: 2_000,
      limits: { ...DEFAULT_LIMITS, maxMessageBytes: over.maxMessageBytes ?? DEFAULT_LIMITS.maxMessageBytes },
      log,
    }),
    clock: { now: () => Date.now(), elapsed: () => performance.now() },
    requestTimeoutMs: 10_000,
    onToolsChanged: () => undefined,
    onClosed: (reason) => void closed.push(reason),
  });
}

const until = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 2 }).toBe(true);
const start = (exchange: HandExchange, parts: RequestParts = {}): { cancel(reason: string): void } =>
  connection.call(toolRequest(parts), exchange);

async function call(parts: RequestParts = {}): Promise<HandExchange> {
  const exchange = new HandExchange();
  start(exchange, parts);
  await until(() => exchange.outcomes.length > 0);
  return exchange;
}

/** A stream of events, each with these lines. */
const stream =
  (make: (id: string) => string[]): Answer =>
  ({ message }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of make(message.id!)) response.write(event);
    response.end();
  };
const event = (data: string): string => `event: message\r\ndata: ${data}\r\n\r\n`;
const result = (id: string, value = '{"content":[]}'): string =>
  `{"jsonrpc":"2.0","id":"${id}","result":${value}}`;
const PROGRESS = '{"name":"s__x","_meta":{"progressToken":7}}';

describe('requests', () => {
  verifies(
    '004-4.1-post',
    '004-4.2-content-type',
    '004-4.2-accept',
    '004-4.2-authorization',
    '004-4.2-jsonrpc',
  );

  it('are a POST each, to the one URL, with all that the transport wants', async () => {
    answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000 });
    await call();
    await until(() => received.length === 3);
    const posts = received.toSorted((a, b) => (a.message.method! < b.message.method! ? -1 : 1));
    expect(posts.map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    for (const { method, url, headers } of received) {
      expect([method, url]).toEqual(['POST', '/mcp?tenant=1']);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer key-1',
        'x-own': 'yes',
      });
      expect(url).not.toContain('key-1');
    }
    const { message } = received.find((each) => each.message.method === 'tools/call')!;
    expect(message).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      method: 'tools/call',
      params: { name: 'x', arguments: {} },
    });
  });

  it('carry bytes as they came', async () => {
    answers['tools/call'] = json('{}');
    await call({ params: '{"name":"s__x","arguments":{"n":99999999999999999999,"f":1.0,"s":"größe 🦀"}}' });
    expect(received[0]!.text).toContain('"arguments":{"n":99999999999999999999,"f":1.0,"s":"größe 🦀"}');
  });

  it('of the modern era name version, method and tool in headers, and of the legacy era the version', async () => {
    answers['server/discover'] = json(DISCOVERED);
    answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'modern', { legacyMs: 2_000, modernMs: 2_000 });
    await call();
    expect(
      received.map(({ headers }) => [
        headers['mcp-protocol-version'],
        headers['mcp-method'],
        headers['mcp-name'],
      ]),
    ).toEqual([
      ['2026-07-28', 'server/discover', undefined],
      ['2026-07-28', 'tools/call', 'x'],
    ]);
  });

  it('of the legacy era carry the negotiated version, after initialize', async () => {
    answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000 });
    await call();
    const versions = new Map(
      received.map(({ message, headers }) => [message.method, headers['mcp-protocol-version']]),
    );
    expect(versions.get('initialize')).toBeUndefined();
    expect(versions.get('tools/call')).toBe('2025-11-25');
    expect(received.every(({ headers }) => headers['mcp-method'] === undefined)).toBe(true);
  });

  it('after a failed discovery carry nothing of the modern era', async () => {
    answers['server/discover'] = status(400);
    await negotiate(connection, 's', 'modern', { legacyMs: 2_000, modernMs: 2_000 });
    const { headers } = received.find(({ message }) => message.method === 'initialize')!;
    expect(headers['mcp-protocol-version']).toBeUndefined();
    expect(headers['mcp-method']).toBeUndefined();
  });
});

describe('answers', () => {
  verifies('004-4.3-json', '004-4.3-sse', '004-4.3-sse-mixed', '004-11.2-response-forms', '004-10-malformed');

  it('are the same as JSON and as a stream', async () => {
    answers['tools/call'] = json('{"content":[{"type":"text","text":"größe"}],"n":1.0}');
    const plain = await call();
    answers['tools/call'] = stream((id) => [
      event(result(id, '{"content":[{"type":"text","text":"größe"}],"n":1.0}')),
    ]);
    const streamed = await call();
    expect(plain.kinds).toEqual(['ok']);
    expect(streamed.outcomes).toEqual(plain.outcomes);
  });

  it('on a stream may come after notifications and requests, which are handled and answered', async () => {
    answers['answer'] = status(202);
    answers['tools/call'] = stream((id) => [
      ': hello\n\n',
      event(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${id}","progress":1}}`,
      ),
      event('{"jsonrpc":"2.0","id":41,"method":"ping"}'),
      event('{"jsonrpc":"2.0","id":42,"method":"sampling/createMessage","params":{}}'),
      event(result(id)),
    ]);
    const exchange = await call({ params: PROGRESS });
    expect(exchange.notified).toEqual(['notifications/progress {"progressToken":7,"progress":1}']);
    expect(exchange.kinds).toEqual(['ok']);
    await until(() => received.length === 3);
    expect(received.slice(1).map(({ message }) => message)).toEqual([
      { jsonrpc: '2.0', id: 41, result: {} },
      { jsonrpc: '2.0', id: 42, error: { code: -32601, message: 'Method not found' } },
    ]);
  });

  it('that are malformed are logged and skipped, and those after them are handled', async () => {
    answers['tools/call'] = stream((id) => [
      event('{'),
      event('[]'),
      event('{"jsonrpc":"1.0","id":1,"result":{}}'),
      'event: other\ndata: {}\n\n',
      event(result(id)),
    ]);
    expect((await call()).kinds).toEqual(['ok']);
    expect(warnings).toHaveLength(3);
  });

  it('to another id are not ours to hand out', async () => {
    answers['tools/call'] = stream((id) => [
      event(result('0'.repeat(32))),
      event(result(id, '{"mine":true}')),
    ]);
    const exchange = await call();
    expect(exchange.outcomes).toMatchObject([{ result: '{"mine":true}' }]);
  });

  it('on one call’s POST never end another call', async () => {
    const first = new HandExchange();
    let heldId = '';
    answers['tools/call'] = ({ message }) => void (heldId = message.id!);
    start(first);
    await until(() => heldId !== '');
    answers['tools/call'] = stream((id) => [event(result(heldId, '{"stolen":true}')), event(result(id))]);
    expect((await call()).kinds).toEqual(['ok']);
    expect(first.outcomes).toEqual([]);
  });

  it('that are JSON-RPC errors with another status are read', async () => {
    answers['tools/call'] = ({ message }, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":"${message.id}","error":{"code":-32602,"message":"no"}}`);
    };
    expect((await call()).outcomes).toMatchObject([
      { kind: 'tool_error', error: '{"code":-32602,"message":"no"}' },
    ]);
  });

  it.each([
    [401, 'not_executed'],
    [404, 'not_executed'],
    [429, 'not_executed'],
    [503, 'not_executed'],
    [500, 'outcome_unknown'],
    [502, 'outcome_unknown'],
    [202, 'outcome_unknown'],
    [302, 'outcome_unknown'],
  ])('HTTP %i alone: %s', async (code, kind) => {
    answers['tools/call'] = status(code);
    expect((await call()).kinds).toEqual([kind]);
    expect(closed).toEqual([]);
  });

  it('that break off leave the call unknown', async () => {
    answers['tools/call'] = (_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      setImmediate(() => response.destroy());
    };
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_GONE');
  });

  it('that end without one leave the call unknown', async () => {
    answers['tools/call'] = stream(() => []);
    expect((await call()).kinds).toEqual(['outcome_unknown']);
  });

  it.each<[string, Answer]>([
    ['JSON', json(`{"data":"${'x'.repeat(2_000)}"}`)],
    ['an event', stream((id) => [event(result(id, `{"data":"${'x'.repeat(2_000)}"}`))])],
    ['many lines of one event', stream(() => Array.from({ length: 50 }, () => `data: ${'x'.repeat(100)}\n`))],
  ])('that are too large, as %s, end that call alone', async (_how, answer) => {
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    closed.length = 0;
    connection = open({ maxMessageBytes: 1_000 });
    answers['tools/call'] = answer;
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_PROTOCOL');
    answers['tools/call'] = json('{}');
    expect((await call()).kinds).toEqual(['ok']);
    expect(closed).toEqual([]);
  });

  it('nobody gives: nothing was sent', async () => {
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    const closing = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closing;
    connection = open();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason).toMatchObject({ code: 'SERVER_UNREACHABLE' });
    expect(exchange.reason.message).toContain('ECONNREFUSED');
  });
});

describe('a session', () => {
  verifies('004-4.4-session-stored', '004-4.4-session-sent', '004-4.1-delete', '004-4.4-session-shutdown');

  it('is kept from initialize, sent from then on, and ended at the end', async () => {
    answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000 });
    await call();
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    const sent = received.map(({ method, message, headers }) => {
      return `${message.method ?? method} ${String(headers['mcp-session-id'] ?? '-')}`;
    });
    expect(sent.toSorted()).toEqual([
      'DELETE session-1',
      'initialize -',
      'notifications/initialized session-1',
      'tools/call session-1',
    ]);
    expect(received.at(-1)).toMatchObject({ method: 'DELETE', url: '/mcp?tenant=1' });
    expect(received.at(-1)!.headers).toMatchObject({ authorization: 'Bearer key-1' });
  });

  it('is not needed', async () => {
    answers['initialize'] = json(INITIALIZED);
    answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000 });
    expect((await call()).kinds).toEqual(['ok']);
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    expect(
      received.every(({ headers, method }) => headers['mcp-session-id'] === undefined && method === 'POST'),
    ).toBe(true);
  });

  it('that the server has forgotten ends the connection, and the call was not run', async () => {
    await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000 });
    answers['tools/call'] = status(404);
    const exchange = await call();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(closed).toMatchObject([{ code: 'SERVER_GONE', message: 'Server "s" has ended the session.' }]);
    expect(connection.isOpen).toBe(false);
  });

  it('that cannot be ended does not keep us', async () => {
    await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000 });
    answers['DELETE'] = status(405);
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    expect(received.at(-1)!.method).toBe('DELETE');
  });
});

describe('cancelling', () => {
  it('is to let go of the POST in the modern era, and nothing more', async () => {
    answers['server/discover'] = json(DISCOVERED);
    await negotiate(connection, 's', 'modern', { legacyMs: 2_000, modernMs: 2_000 });
    const gone = Promise.withResolvers<void>();
    answers['tools/call'] = (_received, response) => void response.on('close', () => gone.resolve());
    const exchange = new HandExchange();
    const running = start(exchange);
    await until(() => received.length === 2);
    running.cancel('enough');
    await gone.promise;
    answers['tools/call'] = json('{}');
    expect((await call()).kinds).toEqual(['ok']);
    expect(received.map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/call',
    ]);
  });

  it('tells the server and lets go of the POST', async () => {
    const gone = Promise.withResolvers<void>();
    answers['tools/call'] = (_received, response) => void response.on('close', () => gone.resolve());
    const exchange = new HandExchange();
    const running = start(exchange);
    await until(() => received.length === 1);
    running.cancel('enough');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    await gone.promise;
    await until(() => received.length === 2);
    expect(received[1]!.message).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: received[0]!.message.id },
    });
  });
});

describe('encodeHeader', () => {
  it.each(['x', 'github__search', 'a b', 'screen.snapshot', '!', '~', '=?utf-8?'])(
    '%j goes as it is',
    (value) => {
      expect(encodeHeader(value)).toBe(value);
    },
  );

  it.each(['größe', ' x', 'x ', '', 'a\nb', 'a\tb', '日本', '=?base64?eA==?=', '\u007f', 'a\r\nX-Evil: 1'])(
    '%j goes as base64',
    (value) => {
      const header = encodeHeader(value);
      expect(header).toMatch(/^=\?base64\?[A-Za-z0-9+/=]*\?=$/);
      expect(Buffer.from(header.slice('=?base64?'.length, -2), 'base64').toString()).toBe(value);
    },
  );
});
