import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DISCOVERED,
  HandServer,
  json,
  resultOf,
  status,
  stream,
  type Answer,
} from '../../../../../test/kit/fake-server.ts';
import { HandExchange, toolRequest, type RequestParts } from '../../../../../test/kit/fake-wire.ts';
import { OLD_INITIALIZED, OLD_MAX_BYTES, OldServer } from '../../../../../test/kit/old-server.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { negotiate } from '../negotiate.ts';

/** The choice of transport for a server, and the older transport. */
let old: OldServer;
let connection: Connection;

beforeEach(async () => {
  old = await OldServer.start();
  connection = old.connect();
});
afterEach(async () => {
  await connection.close(new PincerError('SERVER_GONE', 'The test is over.'));
  await old.web.stop();
});

const TERMS = { legacyMs: 2_000, modernMs: 2_000, capabilities: '{}' };
const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 2, timeout: 4_000 }).toBe(true);
const begin = () => negotiate(connection, 's', 'modern', TERMS);

function start(parts: RequestParts = {}): { exchange: HandExchange; cancel(reason: string): void } {
  const exchange = new HandExchange();
  const { cancel } = connection.call(toolRequest(parts), exchange);
  return { exchange, cancel };
}

async function call(parts: RequestParts = {}): Promise<HandExchange> {
  const { exchange } = start(parts);
  await until(() => exchange.outcomes.length > 0);
  return exchange;
}

describe('a server with the transport of 2024-11-05', () => {
  it.each([400, 404, 405])('is used through it after it refuses initialize with %i', async (code) => {
    verifies('004-4.6-post-first', '004-4.6-fallback', '004-4.6-old-transport');
    old.refusal = code;
    const { era, result } = await begin();
    expect([era, result]).toEqual(['legacy', OLD_INITIALIZED]);
    expect((await call()).kinds).toEqual(['ok']);
    expect(old.posted).toEqual([
      'server/discover /sse?tenant=1',
      'initialize /sse?tenant=1',
      'GET /sse?tenant=1',
      'initialize /messages?sessionId=1',
      'notifications/initialized /messages?sessionId=1',
      'tools/call /messages?sessionId=1',
    ]);
  });

  it('gets the same credentials there, and no header of the other transport', async () => {
    verifies('004-4.6-old-transport');
    await begin();
    await call();
    for (const { headers, method } of old.web.received.slice(2)) {
      expect(headers).toMatchObject({ authorization: 'Bearer key-1', 'x-own': 'yes' });
      expect(headers['content-type']).toBe(method === 'GET' ? undefined : 'application/json');
      for (const name of ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'last-event-id'])
        expect(headers[name]).toBeUndefined();
    }
    expect(old.web.of('GET')[0]!.headers.accept).toBe('text/event-stream');
  });

  it('is not tried with the other one again', async () => {
    await begin();
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    old.web.received.length = 0;
    connection = old.connect();
    await begin();
    expect((await call()).kinds).toEqual(['ok']);
    expect(old.posted.slice(0, 2)).toEqual(['GET /sse?tenant=1', 'initialize /messages?sessionId=1']);
  });

  it('is tried with the other one after it drops the transport', async () => {
    await begin();
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    old.web.answers['GET'] = status(405);
    old.web.answers['server/discover'] = json(DISCOVERED);
    connection = old.connect();
    await expect(begin()).rejects.toThrow('HTTP 405');
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    connection = old.connect();
    expect((await begin()).era).toBe('modern');
  });
});

it('throttling also applies to a server’s next connection', async () => {
  old.web.answers['server/discover'] = (_received, response) =>
    void response.writeHead(429, { 'retry-after': '30' }).end();
  await expect(begin()).rejects.toMatchObject({ data: { status: 429, retryAfterMs: 30_000 } });
  await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
  connection = old.connect();
  await expect(begin()).rejects.toMatchObject({ data: { status: 429, retryAfterMs: expect.any(Number) } });
  expect(old.posted).toEqual(['server/discover /sse?tenant=1']);
});

describe('a server with an endpoint at another origin', () => {
  it('is refused, and nothing is sent there', async () => {
    const other = await HandServer.start();
    old.endpoint = `${other.origin}/messages`;
    await expect(begin()).rejects.toMatchObject({
      code: 'SERVER_PROTOCOL',
      message: `Server "s" asks for its messages at ${other.origin}, which is not its configured origin.`,
    });
    await other.stop();
    expect(other.received).toEqual([]);
  });
});

describe('a server without that transport', () => {
  it.each<[string, Answer]>([
    ['405', status(405)],
    ['404', status(404)],
    ['406', status(406)],
    [
      'a page',
      (_received, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ],
  ])('that answers the GET with %s keeps its refusal of the POST', async (_what, get) => {
    old.refusal = 404;
    old.web.answers['GET'] = get;
    await expect(begin()).rejects.toThrow('HTTP 404');
  });

  it('is still tried in the other era', async () => {
    old.web.answers['GET'] = status(405);
    old.web.answers['server/discover'] = json(DISCOVERED);
    const { era } = await negotiate(connection, 's', 'legacy', TERMS);
    expect(era).toBe('modern');
  });

  it.each([401, 403, 429, 500])('that refuses initialize with %i is not tried with it', async (code) => {
    old.refusal = code;
    old.web.answers['server/discover'] = status(404);
    await expect(begin()).rejects.toMatchObject({ data: { status: code } });
    expect(old.web.of('GET')).toEqual([]);
  });

  it('that first requires a sign-in reports that', async () => {
    old.web.answers['GET'] = status(401);
    await expect(begin()).rejects.toMatchObject({ code: 'SIGN_IN_NEEDED' });
  });

  it('that disappears meanwhile is unreachable', async () => {
    old.web.answers['GET'] = (_received, response) => void response.destroy();
    await expect(begin()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('that stays silent is given up after a while, and its stream is closed', async () => {
    const gone = Promise.withResolvers<void>();
    old.web.answers['GET'] = (received, response) => {
      response.on('close', () => gone.resolve());
      stream(() => [': hello\n\n'], 'stay')(received, response);
    };
    await expect(negotiate(connection, 's', 'modern', { ...TERMS, legacyMs: 200 })).rejects.toMatchObject({
      code: 'CALL_TIMEOUT',
    });
    await gone.promise;
  });
});

describe('HTTP+SSE of 2024-11-05', () => {
  it('may answer before it accepts the POST', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      old.say(resultOf(message.id!));
      setTimeout(() => response.writeHead(202).end(), 50);
    };
    await begin();
    expect((await call()).kinds).toEqual(['ok']);
    expect((await call()).kinds).toEqual(['ok']);
  });

  it('carries progress, questions and their answers', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      response.writeHead(202).end();
      old.say(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${message.id}","progress":1}}`,
      );
      old.say('{"jsonrpc":"2.0","id":41,"method":"ping"}');
      old.say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
      old.say(resultOf(message.id!));
    };
    await begin();
    const exchange = await call({ params: '{"name":"x","_meta":{"progressToken":7}}' });
    expect(exchange.notified).toEqual(['notifications/progress {"progressToken":7,"progress":1}']);
    expect(old.notices).toEqual(['notifications/tools/list_changed {}']);
    await until(() => old.web.received.at(-1)!.text === '{"jsonrpc":"2.0","id":41,"result":{}}');
    expect(old.web.received.at(-1)!.url).toBe('/messages?sessionId=1');
  });

  it('logs and skips malformed messages', async () => {
    await begin();
    old.say('{');
    old.streams[0]!.write('event: other\ndata: {}\n\n: hello\n\nevent: endpoint\ndata: /elsewhere\n\n');
    expect((await call()).kinds).toEqual(['ok']);
    expect(old.web.warnings).toHaveLength(1);
    expect(old.web.received.at(-1)!.url).toBe('/messages?sessionId=1');
  });

  it('ends a call as outcome_unknown if its answer is malformed', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      response.writeHead(202).end();
      old.say(`{"jsonrpc":"2.0","id":"${message.id}","result":{},"error":{}}`);
    };
    await begin();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_PROTOCOL');
  });

  it('gets a notification of a cancelled call', async () => {
    old.taken['tools/call'] = status(202);
    await begin();
    const { exchange, cancel } = start();
    await until(() => old.web.asked.at(-1) === 'tools/call');
    const { id } = old.web.received.at(-1)!.message;
    cancel('enough');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    await until(() => old.web.asked.at(-1) === 'notifications/cancelled');
    expect(old.web.received.at(-1)!.message.params).toMatchObject({ requestId: id });
  });

  it.each(['end', 'destroy'] as const)(
    'loses all calls and the connection when its stream ends by %s',
    async (how) => {
      old.taken['tools/call'] = status(202);
      await begin();
      const calls = [start(), start()];
      await until(() => old.web.asked.filter((method) => method === 'tools/call').length === 2);
      old.streams[0]![how]();
      await until(() => calls.every(({ exchange }) => exchange.outcomes.length > 0));
      for (const { exchange } of calls) {
        expect(exchange.kinds).toEqual(['outcome_unknown']);
        expect(exchange.reason.code).toBe('SERVER_GONE');
      }
      expect(connection.isOpen).toBe(false);
      expect(old.web.closed).toHaveLength(1);
    },
  );

  it('loses the connection on an oversized message', async () => {
    old.taken['tools/call'] = ({ message }, response) => {
      response.writeHead(202).end();
      old.say(resultOf(message.id!, `{"data":"${'x'.repeat(OLD_MAX_BYTES)}"}`));
    };
    await begin();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.message).toContain(`more than ${OLD_MAX_BYTES} bytes`);
    expect(old.web.closed).toMatchObject([{ code: 'SERVER_PROTOCOL' }]);
  });

  it.each([
    [400, 'not_executed', true],
    [403, 'not_executed', true],
    [404, 'not_executed', false],
    [500, 'outcome_unknown', true],
  ])('refuses a message with %i: %s', async (code, kind, staysOpen) => {
    old.taken['tools/call'] = status(code);
    await begin();
    expect((await call()).kinds).toEqual([kind]);
    expect(connection.isOpen).toBe(staysOpen);
  });

  it('gets a throttled message once more', async () => {
    old.taken['tools/call'] = (_received, response) => {
      old.taken['tools/call'] = old.answering('{}');
      response.writeHead(429, { 'retry-after': '1' }).end();
    };
    await begin();
    expect((await call()).kinds).toEqual(['ok']);
  });

  it('may have run a call if it hangs up on its message', async () => {
    old.taken['tools/call'] = (_received, response) => void response.destroy();
    await begin();
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_GONE');
    expect(connection.isOpen).toBe(true);
  });

  it('closes its stream with the connection', async () => {
    await begin();
    const gone = new Promise((resolve) => old.streams[0]!.on('close', resolve));
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    await gone;
    expect(old.web.of('DELETE')).toEqual([]);
  });
});
