import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { event, HandServer, status, stream } from '../../../../../test/kit/fake-server.ts';
import { HandExchange, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { negotiate } from '../negotiate.ts';

/** The stream of a legacy server for messages outside of calls. */
let server: HandServer;
let connection: Connection;
let notices: string[];
/** The open streams, in order of their requests. */
let streams: ServerResponse[];

beforeEach(async () => {
  // Forces the jitter so that a second's backoff becomes 25 ms.
  vi.spyOn(Math, 'random').mockReturnValue(3.9);
  notices = [];
  streams = [];
  server = await HandServer.start();
  connection = server.connect({ onNotice: (method, params) => void notices.push(`${method} ${params}`) });
  server.answers['GET'] = (received, response) => {
    streams.push(response);
    stream(() => [': hello\n\n'], 'stay')(received, response);
  };
});
afterEach(async () => {
  vi.restoreAllMocks();
  await connection.close(new PincerError('SERVER_GONE', 'The test is over.'));
  await server.stop();
});

const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 2, timeout: 4_000 }).toBe(true);
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
const CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

async function begin(): Promise<void> {
  await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000, capabilities: '{}' });
  await until(() => server.of('GET').length === 1);
}

describe('messages outside of calls', () => {
  it('are requested after the handshake, in the session', async () => {
    verifies('004-4.1-get');
    await begin();
    expect(server.asked.indexOf('GET')).toBeGreaterThan(server.asked.indexOf('initialize'));
    expect(server.of('GET')[0]).toMatchObject({
      url: '/mcp?tenant=1',
      headers: {
        accept: 'text/event-stream',
        'mcp-session-id': 'session-1',
        'mcp-protocol-version': '2025-11-25',
        authorization: 'Bearer key-1',
      },
    });
    expect(server.of('GET')[0]!.headers['last-event-id']).toBeUndefined();
  });

  it('are delivered', async () => {
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.write(event(CHANGED));
    streams[0]!.write(
      event('{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}'),
    );
    await until(() => notices.length === 2);
    expect(notices).toEqual([
      'notifications/tools/list_changed {}',
      'notifications/resources/updated {"uri":"a:b"}',
    ]);
  });

  it('may be questions', async () => {
    server.answers['answer'] = status(202);
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.write(event('{"jsonrpc":"2.0","id":5,"method":"ping"}'));
    await until(() => server.received.some(({ text }) => text === '{"jsonrpc":"2.0","id":5,"result":{}}'));
  });

  it('never answer a call', async () => {
    server.answers['tools/call'] = () => undefined;
    await begin();
    await until(() => streams.length === 1);
    const exchange = new HandExchange();
    connection.call(toolRequest(), exchange);
    await until(() => server.asked.includes('tools/call'));
    const { id } = server.received.find(({ message }) => message.method === 'tools/call')!.message;
    streams[0]!.write(event(`{"jsonrpc":"2.0","id":"${id}","result":{"stolen":true}}`));
    streams[0]!.write(event(CHANGED));
    await until(() => notices.length === 1);
    expect(exchange.outcomes).toEqual([]);
  });

  it('that are malformed are logged and skipped', async () => {
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.write('event: other\ndata: {}\n\ndata:\n\n');
    streams[0]!.write(event('{'));
    streams[0]!.write(event(CHANGED));
    await until(() => notices.length === 1);
    expect(server.warnings).toHaveLength(1);
  });
});

describe('the stream', () => {
  it.each([400, 401, 404, 405, 406])('that the server refuses (%i) is not requested again', async (code) => {
    verifies('004-4.1-get');
    server.answers['GET'] = status(code);
    await begin();
    await pause(150);
    expect(server.of('GET')).toHaveLength(1);
    expect(server.closed).toEqual([]);
  });

  it('that is not an event stream is not requested again', async () => {
    server.answers['GET'] = (_received, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    await begin();
    await pause(150);
    expect(server.of('GET')).toHaveLength(1);
  });

  it('that fails temporarily is requested again', async () => {
    server.answers['GET'] = status(503);
    await begin();
    await until(() => server.of('GET').length === 2);
  });

  it('that is throttled (429) is requested again later', async () => {
    server.answers['GET'] = (_received, response) =>
      void response.writeHead(429, { 'retry-after': '1' }).end();
    await begin();
    const refusedAt = performance.now();
    server.answers['GET'] = stream(() => [], 'stay');
    await until(() => server.of('GET').length === 2);
    expect(performance.now() - refusedAt).toBeGreaterThanOrEqual(900);
  });

  it.each(['end', 'destroy'] as const)('that closes by %s is resumed after its last event', async (how) => {
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.write(event(CHANGED, 'n-1'));
    streams[0]!.write('id: n-2\ndata:\n\n');
    await until(() => notices.length === 1);
    await pause(20);
    streams[0]![how]();
    await until(() => streams.length === 2);
    expect(server.of('GET')[1]!.headers['last-event-id']).toBe('n-2');
    streams[1]!.end();
    await until(() => streams.length === 3);
    expect(server.of('GET')[2]!.headers['last-event-id']).toBe('n-2');
  });

  it('is not requested again before the server’s retry delay', async () => {
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.write('retry: 250\n\n');
    await pause(20);
    const endedAt = performance.now();
    streams[0]!.end();
    await until(() => streams.length === 2);
    expect(performance.now() - endedAt).toBeGreaterThan(240);
  });

  it('closes with the connection and is not requested again', async () => {
    await begin();
    await until(() => streams.length === 1);
    const gone = Promise.withResolvers<void>();
    streams[0]!.on('close', () => gone.resolve());
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    await gone.promise;
    await pause(150);
    expect(server.of('GET')).toHaveLength(1);
  });

  it('is not reopened after the connection closed during the delay', async () => {
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.end();
    await pause(10);
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    await pause(150);
    expect(server.of('GET')).toHaveLength(1);
  });

  it('with an oversized message is reopened, and calls continue', async () => {
    await connection.close(new PincerError('SERVER_GONE', 'Another one is used.'));
    server.answers['tools/call'] = ({ message }, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":"${message.id}","result":{}}`);
    connection = server.connect({ maxMessageBytes: 1_000 });
    await begin();
    await until(() => streams.length === 1);
    streams[0]!.write(`data: ${'x'.repeat(2_000)}\n\n`);
    await until(() => streams.length === 2);
    const exchange = new HandExchange();
    connection.call(toolRequest(), exchange);
    await until(() => exchange.outcomes.length > 0);
    expect(exchange.kinds).toEqual(['ok']);
  });
});
