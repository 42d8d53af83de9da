import { describe, expect, it } from 'vitest';
import { connectionOn, HandExchange, HandWire, toolRequest } from '../../../../test/kit/fake-wire.ts';
import { PincerError } from '../core/errors.ts';
import type { Connection } from './connection/connection.ts';
import { startLater } from '../core/request.ts';
import type { Running, SourceRequest } from '../core/request.ts';
import { notSent } from './requests.ts';

const connect = (): { connection: Connection; wire: HandWire } => {
  const wire = new HandWire();
  const connection = connectionOn(wire);
  return { connection, wire };
};
const waitThenCall = (
  open: () => Promise<Connection>,
  request: SourceRequest,
  exchange: HandExchange,
  server: string,
): Running =>
  startLater(
    open(),
    (opened) => opened.call(request, exchange),
    exchange,
    (error) => notSent(server, error),
  );
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a call that waits for its connection', () => {
  it('is sent when the connection opens, and can be cancelled then', async () => {
    const { connection, wire } = connect();
    const exchange = new HandExchange();
    const running = waitThenCall(async () => connection, toolRequest(), exchange, 's');
    expect(wire.sent).toEqual([]);
    await settled();
    expect(wire.messages).toMatchObject([{ method: 'tools/call' }]);
    running.cancel('gone');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    await connection.close(new PincerError('SERVER_GONE', 'x'));
  });

  it('is not_executed if it is cancelled before, and is never sent', async () => {
    const { connection, wire } = connect();
    const exchange = new HandExchange();
    const running = waitThenCall(async () => connection, toolRequest(), exchange, 's');
    running.cancel('gone');
    running.cancel('again');
    await settled();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason).toMatchObject({
      code: 'CALL_CANCELLED',
      message: 'Cancelled before it was sent: gone.',
    });
    expect(wire.sent).toEqual([]);
  });

  it('is not_executed if the connection cannot be opened', async () => {
    const exchange = new HandExchange();
    const refused = async (): Promise<never> => {
      throw new PincerError('SERVER_PROTOCOL', 'It speaks no MCP.');
    };
    waitThenCall(refused, toolRequest(), exchange, 's');
    await settled();
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      message: 'It speaks no MCP. The call was not sent.',
    });
  });

  it('ends once if it is cancelled and the connection then fails', async () => {
    const exchange = new HandExchange();
    const running = waitThenCall(() => Promise.reject(new Error('no')), toolRequest(), exchange, 's');
    running.cancel('gone');
    await settled();
    expect(exchange.outcomes).toHaveLength(1);
  });
});

describe('notSent', () => {
  it.each([
    [new PincerError('SERVER_BUSY', 'Busy.', { hint: 'Wait.' }), 'SERVER_BUSY', 'Wait.'],
    [new PincerError('INTERNAL', 'x', { hint: 'Look.' }), 'SERVER_UNREACHABLE', 'Look.'],
  ])('keeps the hint of %o', (cause, code, hint) => {
    expect(notSent('s', cause)).toMatchObject({ code, hint, cause });
  });

  it('has its own hint if the cause has none', () => {
    expect(notSent('s', new PincerError('SERVER_GONE', 'x')).hint).toContain('servers.s');
  });
});
