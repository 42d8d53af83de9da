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
  /** What belongs to no call. */
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
    const other = call({ params: '{"name":"x","_meta":{"progressToken":"b"}}' });
    wire.receive(progress(`"${other.id}"`));
    expect(one.exchange.notified).toEqual([]);
    expect(other.exchange.notified).toEqual(['notifications/progress {"progressToken":"b","progress":1.0}']);
  });

  it.each(['99999999999999999999', '"b"', '1', 'null', '"nobody"', '{}'])(
    'with a token that is not ours reaches nobody: %s',
    (token) => {
      const { wire, call } = bench();
      const one = call({ params: PROGRESS });
      const other = call({ params: '{"name":"x","_meta":{"progressToken":"b"}}' });
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

  it('is asked for in place of OpenClaw, which does not ask, and only keeps the call alive', () => {
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
  it('ends the call, and the server is told to stop', () => {
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
    expect(sent.exchange.reason.message).toContain('so it may have run');
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

describe('a session that the server has forgotten', () => {
  it('lets the calls under way end, and is over after that', async () => {
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
    '%s is refused where nobody can be asked',
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
});

describe('what a server says', () => {
  const say = (method: string, params = '{}'): string =>
    `{"jsonrpc":"2.0","method":"${method}","params":${params}}`;
  const log = (level: string): string => say('notifications/message', `{"level":"${level}","data": 1.0}`);

  it.each([
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ])('%s is about what it offers, wherever it says it', (method) => {
    const { wire, notices, call } = bench();
    const { exchange, id } = call();
    wire.receive(say(method, '{"uri":"a:b", "n": 1.0}'));
    wire.receive(say(method), id);
    expect(notices).toEqual([`${method} {"uri":"a:b","n":1.0}`, `${method} {}`]);
    expect(exchange.notified).toEqual([]);
    expect(wire.sent).toHaveLength(1);
  });

  it('without params is an empty object', () => {
    const { wire, notices } = bench();
    wire.receive('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    expect(notices).toEqual(['notifications/tools/list_changed {}']);
  });

  it.each(['notifications/cancelled', 'notifications/elicitation/complete', 'x'])(
    '%s reaches nobody on a pipe that is nobody’s own',
    (method) => {
      const { wire, call, notices } = bench();
      const { exchange } = call({ params: PROGRESS });
      wire.receive(say(method, '{"data":"secret"}'));
      expect([exchange.notified, exchange.outcomes, notices]).toEqual([[], [], []]);
      expect(wire.sent).toHaveLength(1);
    },
  );

  it('what comes on the stream of a call is that call’s, and no other’s', () => {
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

  it('what comes on the stream of a call that has ended reaches nobody', () => {
    const { wire, call } = bench();
    const { exchange, id } = call();
    const other = call();
    wire.answer(id, '{}');
    wire.receive(log('error'), id);
    wire.receive(say('x'), id);
    expect([exchange.notified, other.exchange.notified]).toEqual([[], []]);
  });

  it('a log message on a pipe is heard by its only caller, once, and by nobody when there have been several', () => {
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

  it('a call that has not been sent explains nothing', () => {
    const { wire, call } = bench();
    wire.isReady = false;
    const held = call();
    wire.receive(log('error'));
    expect(held.exchange.notified).toEqual([]);
  });

  it('a log message that nobody wants is heard by nobody', () => {
    const { wire, call } = bench();
    const { exchange } = call({ logLevel: 'error' });
    wire.receive(log('warning'));
    expect(exchange.notified).toEqual([]);
    wire.receive(log('critical'));
    expect(exchange.notified).toHaveLength(1);
  });

  describe('to the one whose own connection it is', () => {
    it('belongs to no call', () => {
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

    it('belongs to a call where one explains it', () => {
      const owner = new HandClient();
      const { wire, call } = bench({ owner });
      const { exchange } = call();
      wire.receive(log('info'));
      expect([exchange.notified.length, owner.notified.length]).toEqual([1, 0]);
    });
  });
});

describe('what a server asks of a client', () => {
  const ask = (id: string, method = 'sampling/createMessage', params = '{"n": 1.0}'): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
  const ABLE = { capabilities: '{"sampling":{},"elicitation":{},"roots":{}}' };

  it('is asked on behalf of the call on whose stream it came, and answered under the server’s id', () => {
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

  it('lets the deadline of its call rest, and gives it a whole new one afterwards', () => {
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
  ])('is taken back when its call %s', (_how, end, why) => {
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

  it('goes to the one whose own connection it is where no call explains it', () => {
    const owner = new HandClient(ABLE);
    const { wire } = bench({ owner });
    wire.receive(ask('"q"', 'roots/list', '{}'));
    expect(owner.questions).toMatchObject([{ method: 'roots/list', params: '{}' }]);
    owner.questions[0]!.answer({ result: '{"roots":[]}' });
    expect(wire.sent.map(({ text }) => text)).toEqual(['{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}']);
  });
});

describe('the handshake', () => {
  it('of the legacy era is told, and what the server has to say is listened for', () => {
    const { wire, connection } = bench();
    connection.begin(false);
    expect(wire.messages).toEqual([{ jsonrpc: '2.0', method: 'notifications/initialized', params: {} }]);
    expect(wire.isListening).toBe(true);
  });

  it('of the modern era has none of that', () => {
    const { wire, connection } = bench();
    connection.speak('modern', '2026-07-28');
    connection.begin(true);
    expect([wire.messages, wire.isListening]).toEqual([[], false]);
  });
});

describe('how much a server logs', () => {
  it('is said before the first call that wants more, once', async () => {
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

  it('is no reason to fail a call: a server that refuses, or is silent, gets it all the same', async () => {
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

  it('cancelled while it is said, a call was certainly not run', async () => {
    const { wire, connection } = bench();
    connection.begin(true);
    const exchange = new HandExchange();
    connection.call(toolRequest({ logLevel: 'debug' }), exchange).cancel('gone');
    wire.answer(wire.lastId, '{}');
    await vi.advanceTimersByTimeAsync(0);
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(wire.methods).not.toContain('tools/call');
  });

  it('lost while it is said, the connection takes the call with it, unsent', async () => {
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

  it('without a deadline last, until they are given up', async () => {
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

  it('that have ended are not told to be given up', async () => {
    const { wire, connection } = bench();
    const { answer, abandon } = connection.startAsk('subscriptions/listen', '{}', undefined);
    wire.answer(wire.lastId, '{}');
    await answer;
    abandon();
    expect(wire.methods).toEqual(['subscriptions/listen']);
    expect(wire.forgotten).toEqual([]);
  });
});

describe('a message that breaks Pincer itself', () => {
  it('ends its connection, and nothing else', async () => {
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

  describe('while its client wants to hear of changes', () => {
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

    it('is not idle, until it has enough', () => {
      expect(subscribed(['subscribe', 'ok'])).toBe(0);
      expect(subscribed(['subscribe', 'ok'], ['unsubscribe', 'ok'])).toBe(500);
      expect(subscribed(['subscribe', 'ok'], ['subscribe', 'ok', 'c:d'], ['unsubscribe', 'ok'])).toBe(0);
    });

    it('counts each resource once, and none that was refused or never asked for', () => {
      expect(subscribed(['subscribe', 'ok'], ['subscribe', 'ok'], ['unsubscribe', 'ok'])).toBe(500);
      expect(subscribed(['subscribe', 'error'])).toBe(500);
      expect(subscribed(['unsubscribe', 'ok'], ['subscribe', 'ok'])).toBe(0);
    });
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
