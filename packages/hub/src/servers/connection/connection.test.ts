import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  connectionOn,
  HandClient,
  HandExchange,
  HandWire,
  toolRequest,
  type RequestParts,
} from '../../../../../test/kit/fake-wire.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { PincerError } from '../../core/errors.ts';
import type { Running } from '../../core/request.ts';
import { asBytes } from '../../core/wire/byte-text.ts';
import type { Connection, ConnectionOptions } from './connection.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const TIMEOUT = 30_000;
const QUESTION_TIMEOUT = 600_000;
const GONE = new PincerError('SERVER_GONE', 'Gone.');
const PROGRESS = '{"name":"x","_meta":{"progressToken":99999999999999999999}}';

interface Bench {
  readonly wire: HandWire;
  readonly connection: Connection;
  readonly closed: PincerError[];
  /** Notifications that belong to no call. */
  readonly notices: string[];
  call(parts?: RequestParts): { exchange: HandExchange; running: Running; id: string };
}

function bench(over: Partial<ConnectionOptions> = {}): Bench {
  const wire = new HandWire();
  const closed: PincerError[] = [];
  const notices: string[] = [];
  const connection = connectionOn(wire, {
    requestTimeoutMs: TIMEOUT,
    questionTimeoutMs: QUESTION_TIMEOUT,
    onNotice: (method, params) => void notices.push(`${method} ${params}`),
    onClosed: (reason) => void closed.push(reason),
    ...over,
  });
  return {
    wire,
    connection,
    closed,
    notices,
    call(parts) {
      const exchange = new HandExchange();
      const running = connection.call(toolRequest(parts), exchange);
      return { exchange, running, id: wire.isReady ? wire.lastId : '' };
    },
  };
}

describe('a call', () => {
  it('is sent under the hub’s id, never under the caller’s', () => {
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
    expect(wire.sent[0]!.about).toEqual({
      id: first.id,
      method: 'tools/call',
      name: 'x',
      headers: undefined,
    });
  });

  it.each([
    ['{"content":[],"n":1.0}', 'ok'],
    ['{"content":[],"isError":true}', 'tool_error'],
  ])('ends with the unchanged answer: %s', (result, kind) => {
    const { wire, call, connection } = bench();
    const { exchange, id } = call();
    wire.receive(`{"jsonrpc":"2.0","id":"${id}","trace": 1.0,"result":${result}}`);
    expect(exchange.outcomes).toEqual([{ kind, result, era: 'legacy', extra: ',"trace":1.0' }]);
    expect(connection.inFlight).toBe(0);
  });

  it('ends with the server’s unchanged error', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    wire.fail(id, '{"code":-32602,"message":"no","data":1.0}');
    expect(exchange.outcomes).toEqual([
      { kind: 'tool_error', error: '{"code":-32602,"message":"no","data":1.0}', extra: '' },
    ]);
  });

  it('gets its own answer, in any order of answers', () => {
    const { wire, call } = bench();
    const calls = [call(), call(), call()];
    for (const index of [2, 0, 1]) wire.answer(calls[index]!.id, `{"for":${index}}`);
    expect(calls.map(({ exchange }) => exchange.outcomes)).toMatchObject([
      [{ result: '{"for":0}' }],
      [{ result: '{"for":1}' }],
      [{ result: '{"for":2}' }],
    ]);
  });

  it('uses the negotiated era', () => {
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

  it('ends once: a second or late answer is ignored', () => {
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

  it('reaches the caller under its own token, otherwise unchanged', () => {
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
    const other = call({ params: '{"name":"x","_meta":{"progressToken":"b"}}' });
    wire.receive(progress(`"${other.id}"`));
    expect(one.exchange.notified).toEqual([]);
    expect(other.exchange.notified).toEqual(['notifications/progress {"progressToken":"b","progress":1.0}']);
  });

  it.each(['99999999999999999999', '"b"', '1', 'null', '"unknown"', '{}'])(
    'with an unknown token is ignored: %s',
    (token) => {
      const { wire, call } = bench();
      const one = call({ params: PROGRESS });
      const other = call({ params: '{"name":"x","_meta":{"progressToken":"b"}}' });
      wire.receive(progress(token));
      expect([one.exchange.notified, other.exchange.notified]).toEqual([[], []]);
    },
  );

  it('is ignored for a call that did not ask for it, or has ended', () => {
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

  it('is requested on behalf of OpenClaw, and only extends the deadline', () => {
    const { wire, call } = bench();
    const { exchange, id } = call({ scopes: { openClaw: true } });
    expect(wire.sent.at(-1)!.text).toContain(`"_meta":{"progressToken":"${id}"}`);
    vi.advanceTimersByTime(TIMEOUT - 1);
    wire.receive(progress(`"${id}"`));
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect([exchange.outcomes, exchange.notified]).toEqual([[], []]);
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
  it('ends the call and tells the server to stop', () => {
    verifies('004-10-timeout', '004-10-timeout-cancelled', '004-12.1-request-timeout');
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

  it('is separate for each call', () => {
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

  it('of a later call is kept after all earlier ones ended', () => {
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

  it('makes late answers ineffective', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    vi.advanceTimersByTime(TIMEOUT);
    wire.answer(id, '{}');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('leaves no timer behind when no call runs', () => {
    const { wire, call } = bench();
    wire.answer(call().id, '{}');
    vi.advanceTimersByTime(TIMEOUT);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('cancelling', () => {
  it('tells the server and ends the call as outcome_unknown', () => {
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
    'sends the reason as bytes, for any text: %j',
    (reason) => {
      const { wire, call } = bench();
      call().running.cancel(reason);
      expect(asBytes(wire.sent[1]!.text)).not.toContain('\n');
      expect(wire.messages[1]!.params).toMatchObject({ reason: `Cancelled: ${reason}.` });
    },
  );

  it('sends no notification if the wire itself cancels', () => {
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
  it('holds calls until it drains, in order', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    call();
    call();
    expect(wire.sent).toEqual([]);
    wire.drain();
    expect(wire.messages.map(({ method }) => method)).toEqual(['tools/call', 'tools/call']);
    wire.answer(wire.sent[1]!.about.id!, '{}');
  });

  it('sends as many as it can', () => {
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

  it('a held call that is cancelled is not_executed and never sent', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    const { exchange, running } = call();
    running.cancel('gone');
    expect(exchange.kinds).toEqual(['not_executed']);
    wire.drain();
    expect(wire.sent).toEqual([]);
  });

  it('a held call at its deadline is not_executed', () => {
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
  it('ends sent calls as outcome_unknown and held calls as not_executed', () => {
    const { wire, call, closed, connection } = bench();
    const sent = call();
    wire.isReady = false;
    const held = call();
    const reason = new PincerError('SERVER_GONE', 'Server "s" went away.', { hint: 'Its last words: x' });
    wire.break(reason);
    expect(sent.exchange.kinds).toEqual(['outcome_unknown']);
    expect(sent.exchange.reason).toMatchObject({ code: 'SERVER_GONE', cause: reason });
    expect(sent.exchange.reason.message).toContain('so it may have run');
    expect(held.exchange.outcomes).toEqual([{ kind: 'not_executed', reason }]);
    expect(closed).toEqual([reason]);
    expect(connection.isOpen).toBe(false);
    expect(connection.inFlight).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is reported once', () => {
    const { wire, call, closed } = bench();
    const { exchange } = call();
    wire.break();
    wire.break();
    expect(closed).toHaveLength(1);
    expect(exchange.outcomes).toHaveLength(1);
  });

  it('refuses further calls as not_executed', () => {
    const { wire, connection } = bench();
    wire.break();
    const exchange = new HandExchange();
    const running = connection.call(toolRequest(), exchange);
    running.cancel('x');
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(wire.sent).toEqual([]);
  });

  it('fails requests of Pincer itself', async () => {
    const { wire, connection } = bench();
    const asked = connection.ask('tools/list', '{}', 1_000);
    wire.break();
    await expect(asked).rejects.toMatchObject({ code: 'SERVER_GONE' });
    await expect(connection.ask('tools/list', '{}', 1_000)).rejects.toMatchObject({ code: 'SERVER_GONE' });
    connection.tell('notifications/x', '{}');
    expect(wire.sent).toHaveLength(1);
  });
});

describe('a session that the server has lost', () => {
  it('lets running calls end, then closes the connection', async () => {
    const { wire, call, connection, closed } = bench();
    const { exchange, id } = call();
    wire.events.onSessionEnded(GONE);
    expect([connection.isOpen, closed]).toEqual([false, [GONE]]);
    expect(wire.isClosed).toBe(false);
    wire.answer(id, '{}');
    expect(exchange.kinds).toEqual(['ok']);
    await vi.advanceTimersByTimeAsync(0);
    expect([wire.isClosed, closed.length]).toEqual([true, 1]);
  });
});

describe('a single lost request', () => {
  it.each([
    [true, 'outcome_unknown'],
    [false, 'not_executed'],
  ])('sent %s: %s, and other calls continue', (wasSent, kind) => {
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

  it('fails a request of Pincer itself', async () => {
    const { wire, connection } = bench();
    const asked = connection.ask('tools/list', '{}', 1_000);
    wire.events.onRequestLost(wire.lastId, false, new PincerError('SERVER_UNREACHABLE', 'x'));
    await expect(asked).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });
});

describe('requests of a server', () => {
  it.each(['7', '"a"', '99999999999999999999'])('answer ping under its id %s', (id) => {
    const { wire } = bench();
    wire.receive(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect(wire.sent.map(({ text }) => text)).toEqual([`{"jsonrpc":"2.0","id":${id},"result":{}}`]);
    expect(wire.sent[0]!.about.id).toBeUndefined();
  });

  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list', 'x', '__proto__'])(
    'are refused without a client to ask: %s',
    (method) => {
      const { wire } = bench();
      wire.receive(`{"jsonrpc":"2.0","id":7,"method":"${method}","params":{}}`);
      expect(wire.messages).toEqual([
        { jsonrpc: '2.0', id: 7, error: { code: -32601, message: 'Method not found' } },
      ]);
    },
  );

  it('are not answers, even with the id of a call', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    wire.receive(`{"jsonrpc":"2.0","id":"${id}","method":"ping","result":{}}`);
    expect(exchange.outcomes).toEqual([]);
  });
});

describe('notifications of a server', () => {
  const say = (method: string, params = '{}'): string =>
    `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
  const log = (level: string): string => say('notifications/message', `{"level":"${level}","data": 1.0}`);

  it.each([
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ])('%s is about the offer, on any stream', (method) => {
    const { wire, notices, call } = bench();
    const { exchange, id } = call();
    wire.receive(say(method, '{"uri":"a:b", "n": 1.0}'));
    wire.receive(say(method), id);
    expect(notices).toEqual([`${method} {"uri":"a:b","n":1.0}`, `${method} {}`]);
    expect(exchange.notified).toEqual([]);
    expect(wire.sent).toHaveLength(1);
  });

  it('without params get an empty object', () => {
    const { wire, notices } = bench();
    wire.receive('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    expect(notices).toEqual(['notifications/tools/list_changed {}']);
  });

  it.each(['notifications/cancelled', 'notifications/elicitation/complete', 'x'])(
    '%s is dropped on a shared pipe',
    (method) => {
      const { wire, call, notices } = bench();
      const { exchange } = call({ params: PROGRESS });
      wire.receive(say(method, '{"data":"secret"}'));
      expect([exchange.notified, exchange.outcomes, notices]).toEqual([[], [], []]);
      expect(wire.sent).toHaveLength(1);
    },
  );

  it('on the stream of a call reach only that call', () => {
    const { wire, call } = bench();
    const one = call({ caller: 'a' });
    const other = call({ caller: 'b' });
    wire.receive(say('notifications/elicitation/complete', '{"elicitationId":"e"}'), other.id);
    wire.receive(log('error'), other.id);
    expect(one.exchange.notified).toEqual([]);
    expect(other.exchange.notified).toEqual([
      'notifications/elicitation/complete {"elicitationId":"e"}',
      'notifications/message {"level":"error","data":1.0}',
    ]);
  });

  it('on the stream of a finished call are dropped', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    const other = call();
    wire.answer(id, '{}');
    wire.receive(log('error'), id);
    wire.receive(say('x'), id);
    expect([exchange.notified, other.exchange.notified]).toEqual([[], []]);
  });

  it('log messages on a pipe reach its only caller once, and are dropped after a second caller', () => {
    const { wire, call } = bench();
    const first = call({ caller: 'a' });
    const second = call({ caller: 'a' });
    wire.receive(log('error'));
    expect([first.exchange.notified, second.exchange.notified]).toEqual([
      ['notifications/message {"level":"error","data":1.0}'],
      [],
    ]);
    wire.answer(call({ caller: 'b' }).id, '{}');
    wire.receive(log('error'));
    expect([first.exchange.notified.length, second.exchange.notified.length]).toEqual([1, 0]);
  });

  it('are never matched to a call that was not sent', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    const held = call();
    wire.receive(log('error'));
    expect(held.exchange.notified).toEqual([]);
  });

  it('log messages below the wanted level are dropped', () => {
    const { wire, call } = bench();
    const { exchange } = call({ logLevel: 'error' });
    wire.receive(log('warning'));
    expect(exchange.notified).toEqual([]);
    wire.receive(log('critical'));
    expect(exchange.notified).toHaveLength(1);
  });

  describe('on a client’s own connection', () => {
    it('go to the client if they belong to no call', () => {
      const owner = new HandClient();
      const { wire, notices } = bench({ owner });
      wire.receive(log('info'));
      wire.receive(log('debug'));
      wire.receive(say('notifications/elicitation/complete', '{"elicitationId":"e"}'));
      wire.receive(say('notifications/resources/updated', '{"uri":"a:b"}'));
      expect(owner.notified).toEqual([
        'notifications/message {"level":"info","data":1.0}',
        'notifications/elicitation/complete {"elicitationId":"e"}',
      ]);
      expect(notices).toEqual(['notifications/resources/updated {"uri":"a:b"}']);
    });

    it('go to a call that fits', () => {
      const owner = new HandClient();
      const { wire, call } = bench({ owner });
      const { exchange } = call();
      wire.receive(log('info'));
      expect([exchange.notified.length, owner.notified.length]).toEqual([1, 0]);
    });
  });
});

describe('a question of a server', () => {
  const ask = (id: string, method = 'sampling/createMessage', params = '{"n": 1.0}'): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
  const ABLE = { capabilities: '{"sampling":{},"elicitation":{},"roots":{}}' };

  it('is asked through the call on whose stream it came, and answered under the server’s id', () => {
    const { wire, call } = bench();
    const one = call(ABLE);
    const other = call(ABLE);
    wire.receive(ask('99999999999999999999'), other.id);
    expect(one.exchange.questions).toEqual([]);
    expect(other.exchange.questions).toMatchObject([
      { method: 'sampling/createMessage', params: '{"n":1.0}' },
    ]);
    other.exchange.questions[0]!.answer({ result: '{"big":99999999999999999999}' });
    expect(wire.sent.at(-1)).toEqual({
      text: '{"jsonrpc":"2.0","id":99999999999999999999,"result":{"big":99999999999999999999}}',
      about: { id: undefined, method: '', name: undefined },
    });
  });

  it('suspends the deadline of its call, which then restarts', () => {
    const { wire, call } = bench();
    const { exchange, id } = call(ABLE);
    vi.advanceTimersByTime(TIMEOUT - 1);
    wire.receive(ask('1'), id);
    vi.advanceTimersByTime(QUESTION_TIMEOUT - 1);
    expect(exchange.outcomes).toEqual([]);
    exchange.questions[0]!.answer({ result: '{}' });
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
  });

  it.each<[string, (bench: Bench, call: ReturnType<Bench['call']>) => void, string]>([
    ['is answered', ({ wire }, { id }) => wire.answer(id, '{}'), 'the call has ended'],
    ['is cancelled', (_bench, { running }) => running.cancel('enough'), 'the call has ended'],
    ['is lost', ({ wire }, { id }) => wire.events.onRequestLost(id, true, GONE), 'the call has ended'],
    ['loses its connection', ({ wire }) => wire.break(), 'the server is gone'],
  ])('is withdrawn when its call %s', (_how, end, why) => {
    const it = bench();
    const call = it.call(ABLE);
    it.wire.receive(ask('1'), call.id);
    const before = it.wire.messages.length;
    end(it, call);
    expect(call.exchange.withdrawn).toEqual([why]);
    expect(call.exchange.outcomes).toHaveLength(1);
    call.exchange.questions[0]!.answer({ result: '{}' });
    expect(it.wire.messages.slice(before).filter(({ method }) => method === undefined)).toEqual([]);
    expect(it.connection.inFlight).toBe(0);
  });

  it('goes to the owner of the connection if no call fits', () => {
    const owner = new HandClient(ABLE);
    const { wire } = bench({ owner });
    wire.receive(ask('"q"', 'roots/list', '{}'));
    expect(owner.questions).toMatchObject([{ method: 'roots/list', params: '{}' }]);
    owner.questions[0]!.answer({ result: '{"roots":[]}' });
    expect(wire.sent.map(({ text }) => text)).toEqual(['{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}']);
  });
});

describe('the handshake', () => {
  it('of the legacy era is confirmed, and opens the stream for notifications', () => {
    const { wire, connection } = bench();
    connection.begin(false);
    expect(wire.messages).toEqual([{ jsonrpc: '2.0', method: 'notifications/initialized', params: {} }]);
    expect(wire.isListening).toBe(true);
  });

  it('of the modern era does neither', () => {
    const { wire, connection } = bench();
    connection.speak('modern', '2026-07-28');
    connection.begin(true);
    expect([wire.messages, wire.isListening]).toEqual([[], false]);
  });
});

describe('the log level of a server', () => {
  it('is raised once, before the first call that wants more', async () => {
    const { wire, connection } = bench();
    connection.begin(true);
    const exchange = new HandExchange();
    connection.call(toolRequest({ logLevel: 'debug' }), exchange);
    expect(wire.methods).toEqual(['notifications/initialized', 'logging/setLevel']);
    expect(wire.messages[1]!.params).toEqual({ level: 'debug' });
    wire.answer(wire.lastId, '{}');
    await vi.advanceTimersByTimeAsync(0);
    connection.call(toolRequest({ logLevel: 'info' }), exchange);
    expect(wire.methods.slice(2)).toEqual(['tools/call', 'tools/call']);
  });

  it('does not fail a call if the server refuses or ignores it', async () => {
    const { wire, connection } = bench();
    connection.begin(true);
    const exchange = new HandExchange();
    connection.call(toolRequest({ logLevel: 'debug' }), exchange);
    wire.fail(wire.lastId, '{"code":-32601,"message":"no"}');
    await vi.advanceTimersByTimeAsync(0);
    expect(wire.methods.at(-1)).toBe('tools/call');
    wire.answer(wire.lastId, '{}');
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('can be cancelled with its call, which is then not_executed', async () => {
    const { wire, connection } = bench();
    connection.begin(true);
    const exchange = new HandExchange();
    connection.call(toolRequest({ logLevel: 'debug' }), exchange).cancel('gone');
    wire.answer(wire.lastId, '{}');
    await vi.advanceTimersByTimeAsync(0);
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(wire.methods).not.toContain('tools/call');
  });

  it('is lost with its connection, and the call is not_executed', async () => {
    const { wire, connection } = bench();
    connection.begin(true);
    const exchange = new HandExchange();
    connection.call(toolRequest({ logLevel: 'debug' }), exchange);
    wire.break();
    await vi.advanceTimersByTimeAsync(0);
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(wire.methods).not.toContain('tools/call');
  });
});

describe('requests of Pincer itself', () => {
  it('resolve with the whole message, including an error', async () => {
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

  it('have their own deadline', async () => {
    const { wire, connection } = bench();
    const asked = connection.ask('initialize', '{}', 1_000);
    const failed = expect(asked).rejects.toMatchObject({ code: 'CALL_TIMEOUT' });
    vi.advanceTimersByTime(1_000);
    await failed;
    expect(wire.forgotten).toEqual([wire.lastId]);
    wire.answer(wire.lastId, '{}');
  });

  it('without a deadline last until they are abandoned', async () => {
    const { wire, connection } = bench();
    const { answer, abandon } = connection.startAsk('subscriptions/listen', '{}', undefined);
    const failed = expect(answer).rejects.toMatchObject({ code: 'CALL_CANCELLED' });
    await vi.advanceTimersByTimeAsync(24 * 60 * 60_000);
    const id = wire.lastId;
    abandon();
    abandon();
    await failed;
    expect(wire.forgotten[0]).toBe(id);
    expect(wire.messages[1]).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
  });

  it('that have ended are not cancelled', async () => {
    const { wire, connection } = bench();
    const { answer, abandon } = connection.startAsk('subscriptions/listen', '{}', undefined);
    wire.answer(wire.lastId, '{}');
    await answer;
    abandon();
    expect(wire.methods).toEqual(['subscriptions/listen']);
    expect(wire.forgotten).toEqual([]);
  });
});

describe('a message that makes Pincer throw', () => {
  it('ends only its connection', async () => {
    const { wire, connection, call, closed } = bench();
    const { exchange } = call({ params: PROGRESS });
    const other = call();
    exchange.notify = () => {
      throw new TypeError('broken');
    };
    const id = wire.sent[0]!.about.id!;
    wire.receive(
      `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${id}","progress":1}}`,
    );
    await vi.advanceTimersByTimeAsync(0);
    expect([connection.isOpen, wire.isClosed, closed.length]).toEqual([false, true, 1]);
    expect([exchange.kinds, other.exchange.kinds]).toEqual([['outcome_unknown'], ['outcome_unknown']]);
  });
});

describe('use and end', () => {
  it('reports how long it has been idle', () => {
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

  describe('while its client is subscribed', () => {
    const change = (method: string, name = 'a:b') => ({ ...toolRequest(), method, name });

    function subscribed(
      ...steps: readonly (readonly [method: string, answer: 'ok' | 'error', uri?: string])[]
    ) {
      const it = bench();
      for (const [method, answer, uri] of steps) {
        it.connection.call(change(`resources/${method}`, uri), new HandExchange());
        if (answer === 'ok') it.wire.answer(it.wire.lastId, '{}');
        else it.wire.fail(it.wire.lastId, '{"code":-1}');
      }
      vi.advanceTimersByTime(500);
      return it.connection.idleMs;
    }

    it('is not idle until the last unsubscribe', () => {
      expect(subscribed(['subscribe', 'ok'])).toBe(0);
      expect(subscribed(['subscribe', 'ok'], ['unsubscribe', 'ok'])).toBe(500);
      expect(subscribed(['subscribe', 'ok'], ['subscribe', 'ok', 'c:d'], ['unsubscribe', 'ok'])).toBe(0);
    });

    it('counts each resource once, and none that was refused or never subscribed', () => {
      expect(subscribed(['subscribe', 'ok'], ['subscribe', 'ok'], ['unsubscribe', 'ok'])).toBe(500);
      expect(subscribed(['subscribe', 'error'])).toBe(500);
      expect(subscribed(['unsubscribe', 'ok'], ['subscribe', 'ok'])).toBe(0);
    });
  });

  it('closes every call and the wire', async () => {
    const { wire, call, connection, closed } = bench();
    const { exchange } = call();
    await connection.close(new PincerError('SERVER_GONE', 'Closed.'));
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(wire.isClosed).toBe(true);
    expect(closed).toHaveLength(1);
  });
});
