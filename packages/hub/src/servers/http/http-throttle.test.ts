import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandServer, json, status, type Answer } from '../../../../../test/kit/fake-server.ts';
import { HandExchange, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { PincerError } from '../../core/errors.ts';
import type { Connection } from '../connection/connection.ts';

/** Servers that throttle requests. */
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

const until = (condition: () => boolean): Promise<void> =>
  expect.poll(condition, { interval: 2, timeout: 4_000 }).toBe(true);

const refusal =
  (code: number, retryAfter?: string): Answer =>
  (_received, response) =>
    void response.writeHead(code, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();

/** Refuses once, then answers. */
const onceRefused =
  (code: number, retryAfter?: string): Answer =>
  (received, response) => {
    server.answers['tools/call'] = json('{}');
    refusal(code, retryAfter)(received, response);
  };

function begin(): { exchange: HandExchange; cancel(reason: string): void } {
  const exchange = new HandExchange();
  const { cancel } = connection.call(toolRequest(), exchange);
  return { exchange, cancel };
}

async function call(): Promise<HandExchange> {
  const { exchange } = begin();
  await until(() => exchange.outcomes.length > 0);
  return exchange;
}

const calls = (): number => server.asked.filter((method) => method === 'tools/call').length;

describe('a server that sends Retry-After', () => {
  it.each([429, 503])('(%i) soon gets the request once more, unnoticed by the caller', async (code) => {
    server.answers['tools/call'] = onceRefused(code, '1');
    const begunAt = performance.now();
    expect((await call()).kinds).toEqual(['ok']);
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(990);
    expect(calls()).toBe(2);
  });

  it('with a date gets the request once more then', async () => {
    server.answers['tools/call'] = onceRefused(429, new Date(Date.now() + 1_500).toUTCString());
    expect((await call()).kinds).toEqual(['ok']);
    expect(calls()).toBe(2);
  });

  it('and refuses again has not run the call', async () => {
    server.answers['tools/call'] = refusal(429, '0');
    const { kinds, reason } = await call();
    expect(kinds).toEqual(['not_executed']);
    expect(reason).toMatchObject({ code: 'SERVER_UNREACHABLE', data: { status: 429, retryAfterMs: 0 } });
    expect(calls()).toBe(2);
  });

  it('of a minute gets no request before: the call is not_executed, and the caller learns the delay', async () => {
    server.answers['tools/call'] = refusal(503, '40');
    const first = await call();
    expect(first.kinds).toEqual(['not_executed']);
    expect(first.reason.hint).toContain('in 40 seconds');
    expect(first.reason.data).toEqual({ status: 503, retryAfterMs: 40_000 });
    server.answers['tools/call'] = json('{}');
    const second = await call();
    expect(second.kinds).toEqual(['not_executed']);
    expect(second.reason.hint).toMatch(/in (?:40|39|38) seconds/);
    expect(second.reason.data!['retryAfterMs']).toBeGreaterThan(30_000);
    await expect(connection.ask('tools/list', '{}', 1_000)).rejects.toMatchObject({ data: { status: 503 } });
    expect(calls()).toBe(1);
    expect(server.asked).not.toContain('tools/list');
  });

  it('holds all requests of the connection, not only the refused one', async () => {
    server.answers['tools/call'] = onceRefused(429, '1');
    const first = begin();
    await until(() => calls() === 1);
    // The refusal has to be read first.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const others = [begin(), begin(), begin()];
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(calls()).toBe(1);
    await until(() => [first, ...others].every(({ exchange }) => exchange.kinds[0] === 'ok'));
    expect(calls()).toBe(5);
  });

  it('never gets a call that was cancelled meanwhile, nor its cancellation', async () => {
    server.answers['tools/call'] = onceRefused(429, '1');
    const { exchange, cancel } = begin();
    await until(() => calls() === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    cancel('enough');
    expect(exchange.kinds).toHaveLength(1);
    expect((await call()).kinds).toEqual(['ok']);
    expect(server.asked).toEqual(['tools/call', 'tools/call']);
  });

  it('gets the notifications of the meantime afterwards', async () => {
    server.answers['tools/call'] = onceRefused(429, '1');
    server.answers['notifications/x'] = status(202);
    const { exchange } = begin();
    await until(() => calls() === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    connection.tell('notifications/x', '{}');
    expect(server.asked).toEqual(['tools/call']);
    await until(() => exchange.kinds[0] === 'ok' && server.asked.includes('notifications/x'));
  });

  it('is forgotten with the connection', async () => {
    server.answers['tools/call'] = onceRefused(429, '1');
    const { exchange } = begin();
    await until(() => calls() === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await connection.close(new PincerError('SERVER_GONE', 'Stopped.'));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(exchange.kinds).toHaveLength(1);
    expect(calls()).toBe(1);
  });
});

describe('a server that throttles without Retry-After', () => {
  it('by 429 gets the request once more after a while', async () => {
    server.answers['tools/call'] = onceRefused(429);
    const begunAt = performance.now();
    expect((await call()).kinds).toEqual(['ok']);
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(740);
  });

  it('by 503 does not get it again', async () => {
    server.answers['tools/call'] = status(503);
    // A gateway may send this after a timeout.
    expect((await call()).kinds).toEqual(['outcome_unknown']);
    expect(calls()).toBe(1);
    server.answers['tools/call'] = json('{}');
    expect((await call()).kinds).toEqual(['ok']);
  });
});
