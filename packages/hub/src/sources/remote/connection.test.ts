import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandExchange, HandWire, toolRequest, type RequestParts } from '../../../../../test/kit/hand-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import type { Running } from '../../core/request.ts';
import { asBytes } from '../../core/wire/byte-text.ts';
import { Connection } from './connection.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT = 30_000;
const PROGRESS = '{"name":"s__x","_meta":{"progressToken":99999999999999999999}}';

interface Bench {
  readonly wire: HandWire;
  readonly connection: Connection;
  readonly closed: PincerError[];
  readonly changes: number;
  call(parts?: RequestParts): { exchange: HandExchange; running: Running; id: string };
}

function bench(): Bench {
  const wire = new HandWire();
  const closed: PincerError[] = [];
  let changes = 0;
  const connection = new Connection({
    server: 's',
    openWire: wire.open,
    clock: { now: () => Date.now(), elapsed: () => Date.now() },
    requestTimeoutMs: TIMEOUT,
    onToolsChanged: () => changes++,
    onClosed: (reason) => void closed.push(reason),
  });
  return {
    wire,
    connection,
    closed,
    get changes() {
      return changes;
    },
    call(parts) {
      const exchange = new HandExchange();
      const running = connection.call(toolRequest(parts), exchange);
      return { exchange, running, id: wire.isReady ? wire.lastId : '' };
    },
  };
}

describe('a call', () => {
  it('goes out under an id of ours, never under the caller’s', () => {
    const { wire, call } = bench();
    const first = call();
    const second = call();
    expect(first.id).toMatch(/^[0-9a-f]{32}$/);
    expect(second.id).not.toBe(first.id);
    expect(wire.messages[0]).toEqual({
      jsonrpc: '2.0',
      id: first.id,
      method: 'tools/call',
      params: { name: 'x', arguments: {} },
    });
    expect(wire.sent[0]!.about).toEqual({ id: first.id, method: 'tools/call', name: 'x' });
  });

  it.each([
    ['{"content":[],"n":1.0}', 'ok'],
    ['{"content":[],"isError":true}', 'tool_error'],
  ])('ends with the answer as it came: %s', (result, kind) => {
    const { wire, call, connection } = bench();
    const { exchange, id } = call();
    wire.receive(`{"jsonrpc":"2.0","id":"${id}","trace": 1.0,"result":${result}}`);
    expect(exchange.outcomes).toEqual([{ kind, result, era: 'legacy', extra: ',"trace":1.0' }]);
    expect(connection.inFlight).toBe(0);
  });

  it('ends with the server’s error as it came', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    wire.fail(id, '{"code":-32602,"message":"no","data":1.0}');
    expect(exchange.outcomes).toEqual([
      { kind: 'tool_error', error: '{"code":-32602,"message":"no","data":1.0}', extra: '' },
    ]);
  });

  it('gets its own answer, in whatever order answers come', () => {
    const { wire, call } = bench();
    const calls = [call(), call(), call()];
    for (const index of [2, 0, 1]) wire.answer(calls[index]!.id, `{"for":${index}}`);
    expect(calls.map(({ exchange }) => exchange.outcomes)).toMatchObject([
      [{ result: '{"for":0}' }],
      [{ result: '{"for":1}' }],
      [{ result: '{"for":2}' }],
    ]);
  });

  it('is in the era that was negotiated', () => {
    const { wire, connection, call } = bench();
    connection.speak('modern', '2026-07-28');
    const { exchange, id } = call();
    expect(wire.versions).toEqual(['2026-07-28']);
    expect(wire.messages[0]!.params).toHaveProperty('_meta');
    wire.answer(id, '{}');
    expect(exchange.outcomes).toMatchObject([{ era: 'modern' }]);
  });

  it.each(['"unknown"', '7', '"0"', '""'])('is not ended by an answer to %s', (foreign) => {
    const { wire, call } = bench();
    const { exchange } = call();
    wire.receive(`{"jsonrpc":"2.0","id":${foreign},"result":{}}`);
    expect(exchange.outcomes).toEqual([]);
  });

  it('ends once: a second and a late answer reach nobody', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    wire.answer(id, '{"n":1}');
    wire.answer(id, '{"n":2}');
    vi.advanceTimersByTime(10 * TIMEOUT);
    expect(exchange.outcomes).toMatchObject([{ result: '{"n":1}' }]);
    expect(wire.messages).toHaveLength(1);
  });
});

describe('progress', () => {
  const progress = (token: string, more = ''): string =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1.0${more}}}`;

  it('reaches the caller under the caller’s own token, everything else as it came', () => {
    const { wire, call } = bench();
    const { exchange, id } = call({ params: PROGRESS });
    expect(wire.messages[0]!.params).toMatchObject({ _meta: { progressToken: id } });
    wire.receive(progress(`"${id}"`, ',"total":2.50,"message":"größe"'));
    expect(exchange.notified.map((line) => Buffer.from(line, 'latin1').toString())).toEqual([
      'notifications/progress {"progressToken":99999999999999999999,"progress":1.0,"total":2.50,"message":"größe"}',
    ]);
  });

  it('reaches its own call only', () => {
    const { wire, call } = bench();
    const one = call({ params: PROGRESS });
    const other = call({ params: '{"name":"s__x","_meta":{"progressToken":"b"}}' });
    wire.receive(progress(`"${other.id}"`));
    expect(one.exchange.notified).toEqual([]);
    expect(other.exchange.notified).toEqual(['notifications/progress {"progressToken":"b","progress":1.0}']);
  });

  it.each(['99999999999999999999', '"b"', '1', 'null', '"nobody"', '{}'])(
    'with a token that is not ours reaches nobody: %s',
    (token) => {
      const { wire, call } = bench();
      const one = call({ params: PROGRESS });
      const other = call({ params: '{"name":"s__x","_meta":{"progressToken":"b"}}' });
      wire.receive(progress(token));
      expect([one.exchange.notified, other.exchange.notified]).toEqual([[], []]);
    },
  );

  it('of a call that asked for none, or has ended, reaches nobody', () => {
    const { wire, call } = bench();
    const silent = call();
    const ended = call({ params: PROGRESS });
    wire.answer(ended.id, '{}');
    wire.receive(progress(`"${silent.id}"`));
    wire.receive(progress(`"${ended.id}"`));
    expect([silent.exchange.notified, ended.exchange.notified]).toEqual([[], []]);
  });

  it('extends the deadline', () => {
    const { wire, call } = bench();
    const { exchange, id } = call({ params: PROGRESS });
    for (let round = 0; round < 5; round++) {
      vi.advanceTimersByTime(TIMEOUT - 1);
      wire.receive(progress(`"${id}"`));
    }
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('extends the deadline of its own call only', () => {
    const { wire, call } = bench();
    const one = call({ params: PROGRESS });
    const other = call({ params: PROGRESS });
    vi.advanceTimersByTime(TIMEOUT - 1);
    wire.receive(progress(`"${one.id}"`));
    vi.advanceTimersByTime(1);
    expect(one.exchange.outcomes).toEqual([]);
    expect(other.exchange.kinds).toEqual(['outcome_unknown']);
  });
});

describe('the deadline', () => {
  verifies('004-10-timeout', '004-10-timeout-cancelled', '004-12.1-request-timeout');

  it('ends the call, and the server is told to stop', () => {
    const { wire, call, connection } = bench();
    const { exchange, id } = call();
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason).toMatchObject({ code: 'CALL_TIMEOUT' });
    expect(exchange.reason.message).toContain(`${TIMEOUT} ms`);
    expect(exchange.reason.hint).toContain('servers.s.requestTimeoutMs');
    expect(wire.messages.slice(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: exchange.reason.message },
      },
    ]);
    expect(wire.forgotten).toEqual([id]);
    expect(connection.inFlight).toBe(0);
  });

  it('is each call’s own', () => {
    const { wire, call } = bench();
    const first = call();
    vi.advanceTimersByTime(10_000);
    const second = call();
    const third = call();
    wire.answer(second.id, '{}');
    vi.advanceTimersByTime(20_000);
    expect([first, second, third].map(({ exchange }) => exchange.kinds)).toEqual([
      ['outcome_unknown'],
      ['ok'],
      [],
    ]);
    vi.advanceTimersByTime(10_000);
    expect(third.exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('of a later call is kept when all earlier ones have ended', () => {
    const { wire, call } = bench();
    const first = call();
    vi.advanceTimersByTime(TIMEOUT - 10);
    wire.answer(first.id, '{}');
    const second = call();
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(second.exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(second.exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('leaves late answers without effect', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    vi.advanceTimersByTime(TIMEOUT);
    wire.answer(id, '{}');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('leaves no timer behind when nothing runs', () => {
    const { wire, call } = bench();
    wire.answer(call().id, '{}');
    vi.advanceTimersByTime(TIMEOUT);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('cancelling', () => {
  it('tells the server and ends the call, whose effect is unknown', () => {
    const { wire, call } = bench();
    const { exchange, running, id } = call();
    running.cancel('the client went away');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(exchange.reason).toMatchObject({
      code: 'CALL_CANCELLED',
      message: 'Cancelled: the client went away.',
    });
    expect(wire.messages[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
    expect(wire.forgotten).toEqual([id]);
  });

  it.each(['größe', '\u2222}}\u220a{', '"}}\n{', '🦀'])(
    'tells the reason as bytes, whatever it says: %j',
    (reason) => {
      const { wire, call } = bench();
      call().running.cancel(reason);
      expect(asBytes(wire.sent[1]!.text)).not.toContain('\n');
      expect(wire.messages[1]!.params).toMatchObject({ reason: `Cancelled: ${reason}.` });
    },
  );

  it('is not told twice where the wire itself tells it', () => {
    const { wire, call } = bench();
    wire.forget = () => true;
    const { exchange, running } = call();
    running.cancel('enough');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(wire.sent).toHaveLength(1);
  });

  it('happens once, and not after the end', () => {
    const { wire, call } = bench();
    const cancelled = call();
    cancelled.running.cancel('a');
    cancelled.running.cancel('b');
    const ended = call();
    wire.answer(ended.id, '{}');
    ended.running.cancel('c');
    expect(wire.messages.filter(({ method }) => method === 'notifications/cancelled')).toHaveLength(1);
    expect(cancelled.exchange.outcomes).toHaveLength(1);
    expect(ended.exchange.kinds).toEqual(['ok']);
  });
});

describe('a wire that is full', () => {
  it('holds calls back until it has drained, in their order', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    call();
    call();
    expect(wire.sent).toEqual([]);
    wire.drain();
    expect(wire.messages.map(({ method }) => method)).toEqual(['tools/call', 'tools/call']);
    wire.answer(wire.sent[1]!.about.id!, '{}');
  });

  it('takes as many as it can', () => {
    const { wire, connection } = bench();
    wire.isReady = false;
    const exchanges = [0, 1, 2].map(() => {
      const exchange = new HandExchange();
      connection.call(toolRequest(), exchange);
      return exchange;
    });
    wire.isReady = true;
    const send = wire.send.bind(wire);
    wire.send = (text, about) => {
      send(text, about);
      wire.isReady = false;
    };
    wire.events.onDrain();
    expect(wire.sent).toHaveLength(1);
    wire.isReady = true;
    wire.events.onDrain();
    expect(wire.sent).toHaveLength(2);
    expect(exchanges.map(({ outcomes }) => outcomes)).toEqual([[], [], []]);
  });

  it('cancelled meanwhile, a call was certainly not run, and is never sent', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    const { exchange, running } = call();
    running.cancel('gone');
    expect(exchange.kinds).toEqual(['not_executed']);
    wire.drain();
    expect(wire.sent).toEqual([]);
  });

  it('at its deadline, a call was certainly not run', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    const { exchange } = call();
    vi.advanceTimersByTime(TIMEOUT);
    expect(exchange.kinds).toEqual(['not_executed']);
    wire.drain();
    expect(wire.sent).toEqual([]);
  });
});

describe('a wire that breaks', () => {
  it('leaves sent calls unknown and held calls not executed', () => {
    const { wire, call, closed, connection } = bench();
    const sent = call();
    wire.isReady = false;
    const held = call();
    const reason = new PincerError('SERVER_GONE', 'Server "s" went away.', { hint: 'Its last words: x' });
    wire.break(reason);
    expect(sent.exchange.kinds).toEqual(['outcome_unknown']);
    expect(sent.exchange.reason).toMatchObject({ code: 'SERVER_GONE', cause: reason });
    expect(sent.exchange.reason.message).toContain('whether it ran is unknown');
    expect(held.exchange.outcomes).toEqual([{ kind: 'not_executed', reason }]);
    expect(closed).toEqual([reason]);
    expect(connection.isOpen).toBe(false);
    expect(connection.inFlight).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is told once', () => {
    const { wire, call, closed } = bench();
    const { exchange } = call();
    wire.break();
    wire.break();
    expect(closed).toHaveLength(1);
    expect(exchange.outcomes).toHaveLength(1);
  });

  it('takes no more calls: they were certainly not run', () => {
    const { wire, connection } = bench();
    wire.break();
    const exchange = new HandExchange();
    const running = connection.call(toolRequest(), exchange);
    running.cancel('x');
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(wire.sent).toEqual([]);
  });

  it('fails questions of our own', async () => {
    const { wire, connection } = bench();
    const asked = connection.ask('tools/list', '{}', 1_000);
    wire.break();
    await expect(asked).rejects.toMatchObject({ code: 'SERVER_GONE' });
    await expect(connection.ask('tools/list', '{}', 1_000)).rejects.toMatchObject({ code: 'SERVER_GONE' });
    connection.tell('notifications/x', '{}');
    expect(wire.sent).toHaveLength(1);
  });
});

describe('a request that is lost alone', () => {
  it.each([
    [true, 'outcome_unknown'],
    [false, 'not_executed'],
  ])('was sent %s: %s, and the others go on', (wasSent, kind) => {
    const { wire, call, connection } = bench();
    const lost = call();
    const other = call();
    const reason = new PincerError('SERVER_PROTOCOL', 'No answer.');
    wire.events.onRequestLost(lost.id, wasSent, reason);
    wire.events.onRequestLost(lost.id, wasSent, reason);
    wire.events.onRequestLost('unknown', wasSent, reason);
    expect(lost.exchange.outcomes).toEqual([{ kind, reason }]);
    expect(other.exchange.outcomes).toEqual([]);
    expect(connection.isOpen).toBe(true);
  });

  it('fails a question of our own', async () => {
    const { wire, connection } = bench();
    const asked = connection.ask('tools/list', '{}', 1_000);
    wire.events.onRequestLost(wire.lastId, false, new PincerError('SERVER_UNREACHABLE', 'x'));
    await expect(asked).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });
});

describe('what a server asks', () => {
  it.each(['7', '"a"', '99999999999999999999'])('ping is answered, under its id %s', (id) => {
    const { wire } = bench();
    wire.receive(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect(wire.sent.map(({ text }) => text)).toEqual([`{"jsonrpc":"2.0","id":${id},"result":{}}`]);
    expect(wire.sent[0]!.about.id).toBeUndefined();
  });

  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'x', '__proto__'])(
    '%s is refused',
    (method) => {
      const { wire } = bench();
      wire.receive(`{"jsonrpc":"2.0","id":7,"method":"${method}","params":{}}`);
      expect(wire.messages).toEqual([
        { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'Method not found' } },
      ]);
    },
  );

  it('a request is no answer, though it carries the id of a call', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    wire.receive(`{"jsonrpc":"2.0","id":"${id}","method":"ping","result":{}}`);
    expect(exchange.outcomes).toEqual([]);
  });

  it('a change of its tools is heard', () => {
    const it = bench();
    it.wire.receive('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    expect(it.changes).toBe(1);
    expect(it.wire.sent).toEqual([]);
  });

  it.each(['notifications/message', 'notifications/resources/updated', 'notifications/cancelled', 'x'])(
    '%s reaches nobody',
    (method) => {
      const { wire, call } = bench();
      const { exchange } = call({ params: PROGRESS });
      wire.receive(`{"jsonrpc":"2.0","method":"${method}","params":{"data":"secret"}}`);
      expect([exchange.notified, exchange.outcomes]).toEqual([[], []]);
      expect(wire.sent).toHaveLength(1);
    },
  );
});

describe('questions of our own', () => {
  it('are answered by the whole message, an error included', async () => {
    const { wire, connection } = bench();
    const listed = connection.ask('tools/list', '{"cursor":"a"}', 1_000);
    wire.answer(wire.lastId, '{"tools":[]}');
    expect(await listed).toMatchObject({ result: '{"tools":[]}' });
    const refused = connection.ask('tools/list', '{}', 1_000);
    wire.fail(wire.lastId, '{"code":1}');
    expect(await refused).toMatchObject({ error: '{"code":1}' });
    expect(wire.messages[0]).toMatchObject({ method: 'tools/list', params: { cursor: 'a' } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('have a deadline of their own', async () => {
    const { wire, connection } = bench();
    const asked = connection.ask('initialize', '{}', 1_000);
    const failed = expect(asked).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    vi.advanceTimersByTime(1_000);
    await failed;
    expect(wire.forgotten).toEqual([wire.lastId]);
    wire.answer(wire.lastId, '{}');
  });
});

describe('use and end', () => {
  it('says how long it has been idle', () => {
    const { wire, call, connection } = bench();
    vi.advanceTimersByTime(500);
    expect(connection.idleMs).toBe(500);
    const { id } = call();
    vi.advanceTimersByTime(500);
    expect([connection.idleMs, connection.inFlight]).toEqual([0, 1]);
    wire.answer(id, '{}');
    expect(connection.idleMs).toBe(0);
    vi.advanceTimersByTime(200);
    expect(connection.idleMs).toBe(200);
  });

  it('closing ends every call and the wire', async () => {
    const { wire, call, connection, closed } = bench();
    const { exchange } = call();
    await connection.close(new PincerError('SERVER_GONE', 'Closed.'));
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(wire.isClosed).toBe(true);
    expect(closed).toHaveLength(1);
  });
});
