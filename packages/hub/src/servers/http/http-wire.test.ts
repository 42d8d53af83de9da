import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DISCOVERED,
  event,
  HandServer,
  INITIALIZED,
  json,
  resultOf as result,
  status,
  stream,
  type Answer,
} from '../../../../../test/kit/fake-server.ts';
import { HandExchange, toolRequest, type RequestParts } from '../../../../../test/kit/fake-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { negotiate } from '../negotiate.ts';

let server: HandServer;
let connection: Connection;

beforeEach(async () => {
  server = await HandServer.start();
  connection = server.connect();
});
afterEach(async () => {
  await connection.close(new PincerError('SERVER_GONE', 'The test is over.'));
  await server.stop();
});

const TERMS = { legacyMs: 2_000, modernMs: 2_000, capabilities: '{}' };
const until = (condition: () => boolean): Promise<void> => expect.poll(condition, { interval: 2 }).toBe(true);
const start = (exchange: HandExchange, parts: RequestParts = {}): { cancel(reason: string): void } =>
  connection.call(toolRequest(parts), exchange);

async function call(parts: RequestParts = {}, exchange = new HandExchange()): Promise<HandExchange> {
  start(exchange, parts);
  await until(() => exchange.outcomes.length > 0);
  return exchange;
}

const PROGRESS = '{"name":"x","_meta":{"progressToken":7}}';

describe('requests', () => {
  it('are one POST each, to the one URL, with the transport’s headers', async () => {
    verifies(
      '004-4.1-post',
      '004-4.2-content-type',
      '004-4.2-accept',
      '004-4.2-authorization',
      '004-4.2-jsonrpc',
    );
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', TERMS);
    await call();
    await until(() => server.received.length === 4);
    const posts = server.of('POST').toSorted((a, b) => (a.message.method! < b.message.method! ? -1 : 1));
    expect(posts.map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    for (const { method, url, headers } of server.of('POST')) {
      expect([method, url]).toEqual(['POST', '/mcp?tenant=1']);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer key-1',
        'x-own': 'yes',
      });
      expect(url).not.toContain('key-1');
    }
    const { message } = server.received.find((each) => each.message.method === 'tools/call')!;
    expect(message).toEqual({
      jsonrpc: '2.0',
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      method: 'tools/call',
      params: { name: 'x', arguments: {} },
    });
  });

  it('share one socket if they are sequential', async () => {
    verifies('004-16-health-checks');
    const ports = new Set<number | undefined>();
    server.answers['tools/call'] = (received, response) => {
      ports.add(response.req.socket.remotePort);
      json('{}')(received, response);
    };
    for (let count = 0; count < 5; count++) expect((await call()).kinds).toEqual(['ok']);
    expect(ports.size).toBe(1);
  });

  it('carry unchanged bytes', async () => {
    server.answers['tools/call'] = json('{}');
    await call({ params: '{"name":"x","arguments":{"n":99999999999999999999,"f":1.0,"s":"größe 🦀"}}' });
    expect(server.received[0]!.text).toContain(
      '"arguments":{"n":99999999999999999999,"f":1.0,"s":"größe 🦀"}',
    );
  });

  it('of the modern era name version, method and tool in headers; of the legacy era only the version', async () => {
    server.answers['server/discover'] = json(DISCOVERED);
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'modern', TERMS);
    await call();
    expect(
      server.received.map(({ headers }) => [
        headers['mcp-protocol-version'],
        headers['mcp-method'],
        headers['mcp-name'],
      ]),
    ).toEqual([
      ['2026-07-28', 'server/discover', undefined],
      ['2026-07-28', 'tools/call', 'x'],
    ]);
  });

  it('of the modern era repeat declared arguments in headers, encoded if necessary', async () => {
    server.answers['server/discover'] = json(DISCOVERED);
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'modern', TERMS);
    const headers = { 'Mcp-Param-Region': 'eu-1', 'Mcp-Param-City': 'Köln', 'Mcp-Param-Empty': '' };
    const exchange = new HandExchange();
    connection.call({ ...toolRequest(), name: 'größe', headers }, exchange);
    await until(() => exchange.outcomes.length > 0);
    expect(server.received[1]!.headers).toMatchObject({
      'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=`,
      'mcp-param-region': 'eu-1',
      'mcp-param-city': `=?base64?${Buffer.from('Köln').toString('base64')}?=`,
      'mcp-param-empty': '',
    });
  });

  it('of the legacy era repeat no arguments in headers', async () => {
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', TERMS);
    const exchange = new HandExchange();
    connection.call({ ...toolRequest(), headers: { 'Mcp-Param-Region': 'eu-1' } }, exchange);
    await until(() => exchange.outcomes.length > 0);
    expect(server.received.every(({ headers }) => headers['mcp-param-region'] === undefined)).toBe(true);
  });

  it('of the legacy era carry the negotiated version after initialize', async () => {
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', TERMS);
    await call();
    const versions = new Map(
      server.received.map(({ message, headers }) => [message.method, headers['mcp-protocol-version']]),
    );
    expect(versions.get('initialize')).toBeUndefined();
    expect(versions.get('tools/call')).toBe('2025-11-25');
    expect(server.received.every(({ headers }) => headers['mcp-method'] === undefined)).toBe(true);
  });

  it('after a failed discovery carry no modern header', async () => {
    server.answers['server/discover'] = status(400);
    await negotiate(connection, 's', 'modern', TERMS);
    const { headers } = server.received.find(({ message }) => message.method === 'initialize')!;
    expect(headers['mcp-protocol-version']).toBeUndefined();
    expect(headers['mcp-method']).toBeUndefined();
  });
});

describe('a server that requires its version', () => {
  it('with HTTP 400 and the list of its versions is asked again in the modern era', async () => {
    let asked = 0;
    server.answers['server/discover'] = (received, response) => {
      if (asked++ > 0) return json(DISCOVERED)(received, response);
      const error = { code: -32022, message: 'x', data: { supported: ['2026-07-28'], requested: '?' } };
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: received.message.id, error }));
    };
    const { era } = await negotiate(connection, 's', 'modern', TERMS);
    expect([era, server.asked]).toEqual(['modern', ['server/discover', 'server/discover']]);
  });

  it.each([
    ['an error without an id', '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}'],
    ['no JSON at all', 'Bad Request'],
    ['nothing', ''],
  ])('with HTTP 400 and %s is asked in the legacy era', async (_what, body) => {
    server.answers['server/discover'] = (_received, response) => void response.writeHead(400).end(body);
    const { era } = await negotiate(connection, 's', 'modern', TERMS);
    expect(era).toBe('legacy');
  });
});

describe('answers', () => {
  it('are the same as JSON and as a stream', async () => {
    verifies('004-4.3-json', '004-4.3-sse', '004-11.2-response-forms');
    server.answers['tools/call'] = json('{"content":[{"type":"text","text":"größe"}],"n":1.0}');
    const plain = await call();
    server.answers['tools/call'] = stream((id) => [
      event(result(id, '{"content":[{"type":"text","text":"größe"}],"n":1.0}')),
    ]);
    const streamed = await call();
    expect(plain.kinds).toEqual(['ok']);
    expect(streamed.outcomes).toEqual(plain.outcomes);
  });

  it('on a stream may follow notifications and requests, which are handled and answered', async () => {
    verifies('004-4.1-post', '004-4.3-sse-mixed');
    server.answers['answer'] = status(202);
    server.answers['tools/call'] = stream((id) => [
      ': hello\n\n',
      event(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${id}","progress":1}}`,
      ),
      event('{"jsonrpc":"2.0","id":41,"method":"ping"}'),
      event('{"jsonrpc":"2.0","id":42,"method":"sampling/createMessage","params":{}}'),
      event('{"jsonrpc":"2.0","id":43,"method":"x","params":{}}'),
      event(result(id)),
    ]);
    const exchange = new HandExchange();
    exchange.ask = ({ method, answer }) => {
      answer({ result: `{"to":"${method}","n":1.0}` });
      return { withdraw: () => undefined };
    };
    await call({ params: PROGRESS }, exchange);
    expect(exchange.notified).toEqual(['notifications/progress {"progressToken":7,"progress":1}']);
    expect(exchange.kinds).toEqual(['ok']);
    await until(() => server.received.length === 4);
    expect(
      server.received
        .slice(1)
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual([
      '{"jsonrpc":"2.0","id":41,"result":{}}',
      '{"jsonrpc":"2.0","id":42,"result":{"to":"sampling/createMessage","n":1.0}}',
      '{"jsonrpc":"2.0","id":43,"error":{"code":-32601,"message":"Method not found"}}',
    ]);
  });

  it('that are malformed are logged and skipped, and later ones are handled', async () => {
    verifies('004-10-malformed');
    server.answers['tools/call'] = stream((id) => [
      event('{'),
      event('[]'),
      event('{"jsonrpc":"1.0","id":1,"result":{}}'),
      'event: other\ndata: {}\n\n',
      event(result(id)),
    ]);
    expect((await call()).kinds).toEqual(['ok']);
    expect(server.warnings).toHaveLength(3);
  });

  it('to another id are ignored', async () => {
    server.answers['tools/call'] = stream((id) => [
      event(result('0'.repeat(32))),
      event(result(id, '{"mine":true}')),
    ]);
    const exchange = await call();
    expect(exchange.outcomes).toMatchObject([{ result: '{"mine":true}' }]);
  });

  it('on one call’s POST never end another call', async () => {
    const first = new HandExchange();
    let heldId = '';
    server.answers['tools/call'] = ({ message }) => void (heldId = message.id!);
    start(first);
    await until(() => heldId !== '');
    server.answers['tools/call'] = stream((id) => [
      event(result(heldId, '{"stolen":true}')),
      event(result(id)),
    ]);
    expect((await call()).kinds).toEqual(['ok']);
    expect(first.outcomes).toEqual([]);
  });

  it('that are JSON-RPC errors with another status are read', async () => {
    server.answers['tools/call'] = ({ message }, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(`{"jsonrpc":"2.0","id":"${message.id}","error":{"code":-32602,"message":"no"}}`);
    };
    expect((await call()).outcomes).toMatchObject([
      { kind: 'tool_error', error: '{"code":-32602,"message":"no"}' },
    ]);
  });

  it.each([
    [403, 'not_executed'],
    [404, 'not_executed'],
    [429, 'not_executed'],
    [503, 'outcome_unknown'],
    [500, 'outcome_unknown'],
    [502, 'outcome_unknown'],
    [202, 'outcome_unknown'],
    [302, 'outcome_unknown'],
  ])('HTTP %i alone: %s', async (code, kind) => {
    server.answers['tools/call'] = status(code);
    expect((await call()).kinds).toEqual([kind]);
    expect(server.closed).toEqual([]);
  });

  it.each([
    [307, 'not_executed'],
    [302, 'outcome_unknown'],
  ])('HTTP %i to another place: %s, and nothing goes there', async (code, kind) => {
    const other = await HandServer.start();
    server.answers['tools/call'] = (_received, response) =>
      void response.writeHead(code, { location: `${other.origin}/mcp` }).end();
    const exchange = await call();
    await other.stop();
    expect(exchange.kinds).toEqual([kind]);
    expect(exchange.reason.message).toContain(`redirects to ${other.origin} (HTTP ${code})`);
    expect(exchange.reason.hint).toContain('servers.s.url');
    expect(other.received).toEqual([]);
  });

  it('HTTP 401: the challenge is kept for the sign-in', async () => {
    server.answers['tools/call'] = (_received, response) =>
      void response.writeHead(401, { 'www-authenticate': 'Bearer scope="a"' }).end();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason).toMatchObject({ code: 'SIGN_IN_NEEDED', data: { status: 401 } });
    expect(exchange.reason.message).toContain('does not accept its configured key');
    expect(exchange.reason.data?.['challenge']).toBe('Bearer scope="a"');
  });

  it('that break off end the call as outcome_unknown', async () => {
    server.answers['tools/call'] = (_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
      setImmediate(() => response.destroy());
    };
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_GONE');
  });

  it('that end without content end the call as outcome_unknown', async () => {
    server.answers['tools/call'] = stream(() => []);
    expect((await call()).kinds).toEqual(['outcome_unknown']);
  });

  it.each<[string, Answer]>([
    ['JSON', json(`{"data":"${'x'.repeat(2_000)}"}`)],
    ['an event', stream((id) => [event(result(id, `{"data":"${'x'.repeat(2_000)}"}`))])],
    ['many lines of one event', stream(() => Array.from({ length: 50 }, () => `data: ${'x'.repeat(100)}\n`))],
  ])('that are too large, as %s, end only that call', async (_how, answer) => {
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    server.closed.length = 0;
    connection = server.connect({ maxMessageBytes: 1_000 });
    server.answers['tools/call'] = answer;
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_PROTOCOL');
    server.answers['tools/call'] = json('{}');
    expect((await call()).kinds).toEqual(['ok']);
    expect(server.closed).toEqual([]);
  });

  it('without a server: nothing was sent', async () => {
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    await server.stop();
    connection = server.connect();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason).toMatchObject({ code: 'SERVER_UNREACHABLE' });
    expect(exchange.reason.message).toContain('ECONNREFUSED');
  });
});

describe('a session', () => {
  it('is kept from initialize, sent from then on, and deleted at the end', async () => {
    verifies('004-4.4-session-stored', '004-4.4-session-sent', '004-4.1-delete', '004-4.4-session-shutdown');
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', TERMS);
    await call();
    await until(() => server.of('GET').length === 1);
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    const sent = server.received.map(({ method, message, headers }) => {
      return `${message.method ?? method} ${String(headers['mcp-session-id'] ?? '-')}`;
    });
    expect(sent.toSorted()).toEqual([
      'DELETE session-1',
      'GET session-1',
      'initialize -',
      'notifications/initialized session-1',
      'tools/call session-1',
    ]);
    expect(server.received.at(-1)).toMatchObject({ method: 'DELETE', url: '/mcp?tenant=1' });
    expect(server.received.at(-1)!.headers).toMatchObject({ authorization: 'Bearer key-1' });
  });

  it('is optional', async () => {
    verifies('004-4.4-session-stored');
    server.answers['initialize'] = json(INITIALIZED);
    server.answers['tools/call'] = json('{}');
    await negotiate(connection, 's', 'legacy', TERMS);
    expect((await call()).kinds).toEqual(['ok']);
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    expect(server.received.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
    expect(server.of('DELETE')).toEqual([]);
  });

  it('that the server has lost ends the connection, and the call was not run', async () => {
    await negotiate(connection, 's', 'legacy', TERMS);
    server.answers['tools/call'] = status(404);
    const exchange = await call();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(server.closed).toMatchObject([
      { code: 'SERVER_GONE', message: 'Server "s" has ended the session.' },
    ]);
    expect(connection.isOpen).toBe(false);
  });

  it('that cannot be deleted does not delay closing', async () => {
    await negotiate(connection, 's', 'legacy', TERMS);
    server.answers['DELETE'] = status(405);
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    expect(server.received.at(-1)!.method).toBe('DELETE');
  });
});

describe('cancelling', () => {
  it('only aborts the POST in the modern era', async () => {
    server.answers['server/discover'] = json(DISCOVERED);
    await negotiate(connection, 's', 'modern', TERMS);
    const gone = Promise.withResolvers<void>();
    server.answers['tools/call'] = (_received, response) => void response.on('close', () => gone.resolve());
    const exchange = new HandExchange();
    const running = start(exchange);
    await until(() => server.received.length === 2);
    running.cancel('enough');
    await gone.promise;
    server.answers['tools/call'] = json('{}');
    expect((await call()).kinds).toEqual(['ok']);
    expect(server.received.map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/call',
    ]);
  });

  it('notifies the server and aborts the POST in the legacy era', async () => {
    const gone = Promise.withResolvers<void>();
    server.answers['tools/call'] = (_received, response) => void response.on('close', () => gone.resolve());
    const exchange = new HandExchange();
    const running = start(exchange);
    await until(() => server.received.length === 1);
    running.cancel('enough');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    await gone.promise;
    await until(() => server.received.length === 2);
    expect(server.received[1]!.message).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: server.received[0]!.message.id },
    });
  });
});
