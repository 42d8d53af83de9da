import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DISCOVERED,
  event,
  HandServer,
  json,
  resultOf,
  status,
  stream,
  type Answer,
} from '../../../../../test/kit/fake-server.ts';
import { HandExchange, toolRequest, type RequestParts } from '../../../../../test/kit/fake-wire.ts';
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';
import { negotiate } from '../negotiate.ts';

/** Streams that end before the answer (legacy era, "Resumability and Redelivery"). */
let server: HandServer;
let connection: Connection;

beforeEach(async () => {
  server = await HandServer.start();
  connection = server.connect();
  // The GET stream for other messages is not tested here.
  server.answers['GET'] = status(405);
  await negotiate(connection, 's', 'legacy', { legacyMs: 2_000, modernMs: 2_000, capabilities: '{}' });
  await until(() => server.of('GET').length === 1);
});
afterEach(async () => {
  await connection.close(new PincerError('SERVER_GONE', 'The test is over.'));
  await server.stop();
});

const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 2, timeout: 4_000 }).toBe(true);

async function call(parts: RequestParts = {}, exchange = new HandExchange()): Promise<HandExchange> {
  connection.call(toolRequest(parts), exchange);
  await until(() => exchange.outcomes.length > 0);
  return exchange;
}

const RETRY = 'retry: 20\n';
const PRIMING = `${RETRY}id: e-0\ndata: \n\n`;
const resumes = (): (string | undefined)[] =>
  server
    .of('GET')
    .slice(1)
    .map(({ headers }) => headers['last-event-id'] as string | undefined);
const callId = (): string =>
  server.received.findLast(({ message }) => message.method === 'tools/call')!.message.id!;
/** The rest of the stream, on the GET that resumes it. */
const rest = (make: (id: string) => readonly string[], end?: 'end' | 'destroy' | 'stay'): Answer =>
  stream(() => make(callId()), end);

describe('a stream that ends before the answer', () => {
  it.each(['end', 'destroy'] as const)('by %s is resumed after its last event', async (end) => {
    server.answers['tools/call'] = stream(() => [PRIMING], end);
    server.answers['GET'] = rest((id) => [event(resultOf(id, '{"late":1.0}'), 'e-1')]);
    const exchange = await call();
    expect(exchange.outcomes).toMatchObject([{ kind: 'ok', result: '{"late":1.0}' }]);
    expect(resumes()).toEqual(['e-0']);
    expect(server.of('GET').at(-1)!.headers).toMatchObject({
      accept: 'text/event-stream',
      'mcp-session-id': 'session-1',
      'mcp-protocol-version': '2025-11-25',
      authorization: 'Bearer key-1',
    });
    expect(server.of('GET').at(-1)!.headers['content-type']).toBeUndefined();
    expect(server.asked.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is resumed after the server’s retry delay', async () => {
    server.answers['tools/call'] = stream(() => ['retry: 300\nid: e-0\ndata:\n\n']);
    server.answers['GET'] = rest((id) => [event(resultOf(id))]);
    const begunAt = performance.now();
    await call();
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(295);
  });

  it('delivers what came in between, under the call’s tokens', async () => {
    const progress = (id: string, step: number): string =>
      event(
        `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${id}","progress":${step}}}`,
        `e-${step}`,
      );
    server.answers['tools/call'] = stream((id) => [RETRY, progress(id, 1)]);
    server.answers['GET'] = rest((id) => [progress(id, 2), event(resultOf(id))]);
    const exchange = await call({ params: '{"name":"x","_meta":{"progressToken":7}}' });
    expect(exchange.notified).toEqual([
      'notifications/progress {"progressToken":7,"progress":1}',
      'notifications/progress {"progressToken":7,"progress":2}',
    ]);
    expect(resumes()).toEqual(['e-1']);
  });

  it('in the middle of an event is resumed before that event, so that nothing is missed', async () => {
    server.answers['tools/call'] = stream(
      (id) => [PRIMING, event(resultOf(id, '{"whole":true}'), 'e-1').slice(0, -20)],
      'destroy',
    );
    server.answers['GET'] = rest((id) => [event(resultOf(id, '{"whole":true}'), 'e-1')]);
    expect((await call()).outcomes).toMatchObject([{ kind: 'ok', result: '{"whole":true}' }]);
    expect(resumes()).toEqual(['e-0']);
  });

  it('may end repeatedly as long as it makes progress', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    let round = 0;
    server.answers['GET'] = (received, response) => {
      round++;
      rest((id) => [round < 8 ? `id: e-${round}\ndata:\n\n` : event(resultOf(id))])(received, response);
    };
    expect((await call()).kinds).toEqual(['ok']);
    expect(resumes()).toEqual(['e-0', 'e-1', 'e-2', 'e-3', 'e-4', 'e-5', 'e-6', 'e-7']);
  });

  it('is given up after a few resumes without progress, as outcome_unknown', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    server.answers['GET'] = rest(() => []);
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(resumes()).toEqual(Array(4).fill('e-0'));
  });

  it.each([400, 401, 403, 404, 405, 410, 429])(
    'whose resume is refused with HTTP %i is given up at once, as outcome_unknown',
    async (code) => {
      server.answers['tools/call'] = stream(() => [PRIMING]);
      server.answers['GET'] = status(code);
      const exchange = await call();
      expect(exchange.kinds).toEqual(['outcome_unknown']);
      expect(exchange.reason.code).toBe('SERVER_GONE');
      expect(exchange.reason.data).toEqual({ status: code });
      expect(exchange.reason.message).toContain('broke before the answer');
      expect(resumes()).toEqual(['e-0']);
    },
  );

  it('is resumed later if the server throttles', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    server.answers['GET'] = (_received, response) => {
      server.answers['GET'] = rest((id) => [event(resultOf(id))]);
      response.writeHead(429, { 'retry-after': '1' }).end();
    };
    const begunAt = performance.now();
    expect((await call()).kinds).toEqual(['ok']);
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(995);
    expect(resumes()).toEqual(['e-0', 'e-0']);
  });

  it('is resumed again after a temporary failure', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    let attempts = 0;
    server.answers['GET'] = (received, response) =>
      (++attempts < 3 ? status(503) : rest((id) => [event(resultOf(id))]))(received, response);
    expect((await call()).kinds).toEqual(['ok']);
  });

  it('is outcome_unknown if the server becomes unreachable', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    server.answers['GET'] = () => undefined;
    const exchange = new HandExchange();
    connection.call(toolRequest(), exchange);
    await until(() => resumes().length === 1);
    await server.stop();
    await until(() => exchange.outcomes.length > 0);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason.code).toBe('SERVER_GONE');
  });

  it('is read to its end if the server comes back', async () => {
    server.answers['tools/call'] = stream(() => ['retry: 100\nid: e-0\ndata:\n\n'], 'stay');
    const exchange = new HandExchange();
    connection.call(toolRequest(), exchange);
    await until(() => server.asked.includes('tools/call'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    server.answers['GET'] = rest((id) => [event(resultOf(id))]);
    await server.stop();
    await server.listen();
    await until(() => exchange.outcomes.length > 0);
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('is not resumed after the call was cancelled', async () => {
    server.answers['tools/call'] = stream(() => ['retry: 50\nid: e-0\ndata:\n\n']);
    const exchange = new HandExchange();
    const running = connection.call(toolRequest(), exchange);
    await until(() => server.asked.includes('tools/call'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    running.cancel('enough');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(resumes()).toEqual([]);
    expect(server.asked).toContain('notifications/cancelled');
  });

  it('may be answered with plain JSON', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    server.answers['GET'] = (_received, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(resultOf(callId(), '{"n":1}'));
    expect((await call()).outcomes).toMatchObject([{ result: '{"n":1}' }]);
  });

  it('does not deliver the answer of another call', async () => {
    server.answers['tools/call'] = stream(() => [PRIMING]);
    server.answers['GET'] = rest((id) => [
      event(resultOf('0'.repeat(32), '{"stolen":1}'), 'e-1'),
      event(resultOf(id, '{"mine":1}')),
    ]);
    expect((await call()).outcomes).toMatchObject([{ result: '{"mine":1}' }]);
  });
});

describe('a stream that cannot be resumed', () => {
  it.each([
    ['has no event id', (): string[] => [': hello\n\n', 'data: \n\n']],
    ['has an empty one', (): string[] => ['id: e-0\ndata:\n\n', 'id:\ndata:\n\n']],
  ])('because it %s ends the call as outcome_unknown', async (_why, events) => {
    server.answers['tools/call'] = stream(events);
    const exchange = await call();
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(resumes()).toEqual([]);
  });

  it('because it is modern ends the call as outcome_unknown', async () => {
    server.answers['server/discover'] = json(DISCOVERED);
    const modern = server.connect();
    await negotiate(modern, 's', 'modern', { legacyMs: 2_000, modernMs: 2_000, capabilities: '{}' });
    server.answers['tools/call'] = stream(() => [PRIMING]);
    const exchange = new HandExchange();
    modern.call(toolRequest({ era: 'modern' }), exchange);
    await until(() => exchange.outcomes.length > 0);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(resumes()).toEqual([]);
    await modern.close(new PincerError('SERVER_GONE', 'The test is over.'));
  });

  it('because it had no event leaves an HTTP refusal a refusal', async () => {
    server.answers['tools/call'] = status(403);
    expect((await call()).kinds).toEqual(['not_executed']);
  });
});

it('resumes requests of Pincer itself, too', async () => {
  server.answers['tools/list'] = stream(() => [PRIMING]);
  server.answers['GET'] = stream(() => [
    event(
      resultOf(server.received.findLast(({ message }) => message.method === 'tools/list')!.message.id!, '{}'),
    ),
  ]);
  expect(await connection.ask('tools/list', '{}', 2_000)).toMatchObject({ result: '{}' });
});
