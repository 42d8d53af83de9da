import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  connectionOn,
  HandClient,
  HandExchange,
  HandWire,
  toolRequest,
} from '../../../../../test/kit/fake-wire.ts';
import type { Running } from '../../core/request.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

const HERE = '{"roots":[{"uri":"file:///here"}]}';
const THERE = '{"roots":[{"uri":"file:///there"}]}';

interface Bench {
  readonly wire: HandWire;
  readonly connection: Connection;
  call(): { exchange: HandExchange; running: Running };
  /** Answers the pending ping, after the server's question if it asks one. */
  pong(question?: number): Promise<void>;
  /** Answers all pings while the server applies new roots, until this many calls were sent. */
  apply(count: number): Promise<void>;
}

function bench(over: Partial<ConnectionOptions>): Bench {
  const wire = new HandWire();
  const connection = connectionOn(wire, over);
  let answered: string | undefined;
  const pong = async (question?: number): Promise<void> => {
    if (question !== undefined) wire.receive(`{"jsonrpc":"2.0","id":${question},"method":"roots/list"}`);
    answered = wire.lastId;
    wire.answer(answered, '{}');
    await setImmediate();
  };
  const sentCalls = (): number => wire.methods.filter((method) => method === 'tools/call').length;
  return {
    wire,
    connection,
    call() {
      const exchange = new HandExchange();
      return { exchange, running: connection.call(toolRequest(), exchange) };
    },
    pong,
    async apply(count) {
      const isApplied = async (): Promise<number> => {
        if (wire.methods.at(-1) === 'ping' && wire.lastId !== answered) await pong();
        return sentCalls();
      };
      await expect.poll(isApplied, { interval: 1 }).toBe(count);
    },
  };
}

const calls = ({ wire }: Bench): number => wire.methods.filter((method) => method === 'tools/call').length;
const sent = async (on: Bench, count: number): Promise<void> => {
  await expect.poll(() => calls(on)).toBe(count);
};
const answer = ({ exchange }: { exchange: HandExchange }, result: string): void =>
  exchange.questions.at(-1)!.answer({ result });

it('holds the first call until the server has the roots that it asked for', async () => {
  const on = bench({ roots: 'of-owner' });
  const call = on.call();
  expect(on.wire.methods).toEqual(['ping']);
  await on.pong(1);
  expect(calls(on)).toBe(0);
  expect(call.exchange.questions.map(({ method }) => method)).toEqual(['roots/list']);
  answer(call, HERE);
  await expect.poll(() => on.wire.methods.filter((method) => method === 'ping').length).toBe(2);
  expect(calls(on)).toBe(0);
  await on.apply(1);
  const ids = on.wire.messages.map(({ id }) => id);
  expect(ids.indexOf(1)).toBeLessThan(ids.length - 1);
});

it('asks a client directly if it can be reached outside of calls', async () => {
  const owner = new HandClient();
  const on = bench({ roots: 'of-owner', owner });
  const call = on.call();
  await on.pong(1);
  expect(call.exchange.questions).toEqual([]);
  owner.questions[0]!.answer({ result: HERE });
  await on.apply(1);
});

it('sends the call after one ping if the server does not ask, and later calls at once', async () => {
  const on = bench({ roots: 'of-owner' });
  on.call();
  await on.pong();
  await sent(on, 1);
  on.call();
  await sent(on, 2);
  expect(on.wire.methods).toEqual(['ping', 'tools/call', 'tools/call']);
});

it('sends the call if the server does not know ping', async () => {
  const on = bench({ roots: 'of-owner' });
  on.call();
  on.wire.fail(on.wire.lastId, '{"code":-32601,"message":"Method not found"}');
  await sent(on, 1);
});

it('holds calls again after the client changed its roots', async () => {
  const on = bench({ roots: 'of-owner' });
  on.call();
  await on.pong();
  await sent(on, 1);
  on.connection.tell('notifications/roots/list_changed', '{}');
  on.call();
  expect(on.wire.methods.slice(2)).toEqual(['notifications/roots/list_changed', 'ping']);
});

it('asks the client of each call on a connection for single calls', async () => {
  const on = bench({ roots: 'of-each-call' });
  for (const [index, roots] of [HERE, THERE].entries()) {
    const call = on.call();
    if (index > 0) expect(on.wire.methods.at(-2)).toBe('notifications/roots/list_changed');
    await on.pong(index);
    answer(call, roots);
    await on.apply(index + 1);
    on.wire.answer(on.wire.lastId, '{}');
  }
});

it('asks again but does not wait for the folders if the roots are the same', async () => {
  const on = bench({ roots: 'of-each-call' });
  for (const id of [1, 2]) {
    const call = on.call();
    await on.pong(id);
    answer(call, HERE);
    if (id === 1) await on.apply(id);
    await sent(on, id);
    on.wire.answer(on.wire.lastId, '{}');
  }
});

it('closes the connection when the call whose client was asked is cancelled', async () => {
  const on = bench({ roots: 'of-each-call' });
  const call = on.call();
  await on.pong(1);
  call.running.cancel('the client disconnected');
  expect(call.exchange.kinds).toEqual(['not_executed']);
  expect(on.wire.isClosed).toBe(true);
  expect(calls(on)).toBe(0);
});

it('counts a held call as in flight', async () => {
  const on = bench({ roots: 'of-owner' });
  on.call();
  expect(on.connection.inFlight).toBe(1);
  await on.pong();
  await sent(on, 1);
  expect(on.connection.inFlight).toBe(1);
});
