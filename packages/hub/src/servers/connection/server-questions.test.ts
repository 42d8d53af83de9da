import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVERYTHING, HandClient, HandExchange, toolRequest } from '../../../../../test/kit/fake-wire.ts';
import { readAbilities, type Abilities, type Client } from '../../core/client.ts';
import type { Era } from '../../core/protocol.ts';
import { toByteText } from '../../core/wire/byte-text.ts';
import { parseMessage } from '../../core/wire/message.ts';
import { PendingCalls, type PendingCall } from './pending-calls.ts';
import { ServerQuestions } from './server-questions.ts';
import { verifies } from '../../../../../test/verifies.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const CALL_TIMEOUT = 1_000;
const TIMEOUT = 60_000;
const REFUSED = { code: -32601, message: 'Method not found' };

interface Parts {
  readonly owner?: Client;
  readonly abilities?: Abilities;
  readonly capabilities?: string;
  readonly era?: Era;
  /** The call that a question on a pipe is matched to. */
  readonly guess?: () => PendingCall | undefined;
}

function bench(parts: Parts = {}) {
  const { owner, abilities = EVERYTHING, capabilities = EVERYTHING.raw, era = 'legacy', guess } = parts;
  const sent: string[] = [];
  const expired: string[] = [];
  const wire = { isReady: true };
  const lateQuestions = { areExpected: false };
  const calls = new PendingCalls({
    clock: { now: () => Date.now(), elapsed: () => Date.now() },
    onExpired: ({ id }) => {
      expired.push(id);
      calls.take(id);
    },
  });
  const questions = new ServerQuestions({
    calls,
    owner,
    mayAskForCancelledCall: () => lateQuestions.areExpected,
    abilities,
    timeoutMs: TIMEOUT,
    send: (text) => void sent.push(text),
    isReady: () => wire.isReady,
    callOf: (via) => (via === undefined ? guess?.() : calls.get(via)),
  });
  return {
    sent,
    expired,
    wire,
    lateQuestions,
    calls,
    questions,
    /** The parsed messages that were sent. */
    answers: () => sent.map((text) => JSON.parse(text) as { id: unknown; result?: unknown; error?: unknown }),
    call(id: string, caller = 'c'): { call: PendingCall; exchange: HandExchange } {
      const exchange = new HandExchange();
      const call: PendingCall = {
        id,
        request: toolRequest({ capabilities, era, caller }),
        exchange,
        progressToken: undefined,
        deadline: Date.now() + CALL_TIMEOUT,
        timeoutMs: CALL_TIMEOUT,
        endsBy: Infinity,
        held: undefined,
        questions: 0,
      };
      calls.add(call);
      return { call, exchange };
    },
    ask(id: string, via?: string, method = 'sampling/createMessage', params = '{}'): void {
      const message = parseMessage(
        toByteText(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`),
      );
      questions.receive(message, message.id!, method, via);
    },
    withdraw(params: string): void {
      questions.withdraw(
        parseMessage(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`),
      );
    },
  };
}

describe('a question', () => {
  it.each(['sampling/createMessage', 'elicitation/create', 'roots/list'])(
    '%s goes to its call unchanged, and so does the answer to the server',
    (method) => {
      const { sent, ask, call } = bench();
      const { exchange } = call('a');
      ask('"größe"', 'a', method, '{"n": 1.0,"text":"größe","_meta":{"x":99999999999999999999}}');
      expect(exchange.questions).toMatchObject([
        { method, params: toByteText('{"n":1.0,"text":"größe","_meta":{"x":99999999999999999999}}') },
      ]);
      exchange.questions[0]!.answer({ result: '{"y": 99999999999999999999}' });
      expect(sent).toEqual([
        toByteText('{"jsonrpc":"2.0","id":"größe","result":{"y": 99999999999999999999}}'),
      ]);
    },
  );

  it('that the client answers with an error gets that error', () => {
    const { sent, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    exchange.questions[0]!.answer({ error: '{"code":-1,"message":"no","data":1.0}' });
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":1.0}}']);
  });

  it.each(['tools/list', 'initialize', 'sampling/createmessage', '__proto__', 'constructor', ''])(
    'with the unknown method %j is refused without asking a client',
    (method) => {
      const owner = new HandClient();
      const { answers, ask, call } = bench({ owner });
      const { exchange } = call('a');
      ask('7', 'a', method);
      ask('8', undefined, method);
      expect(answers()).toEqual([
        { jsonrpc: '2.0', id: 7, error: REFUSED },
        { jsonrpc: '2.0', id: 8, error: REFUSED },
      ]);
      expect([exchange.questions, owner.questions]).toEqual([[], []]);
    },
  );

  it('that is a ping is answered at once, even if its id is in use', () => {
    const { sent, ask, call } = bench();
    call('a');
    ask('1', 'a');
    ask('1', 'a', 'ping');
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
  });

  it('without a call goes to the owner of the connection', () => {
    const owner = new HandClient(ALL_CAPABILITIES);
    const { sent, ask } = bench({ owner });
    ask('1');
    owner.questions[0]!.answer({ result: '{}' });
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{}}']);
  });

  it('without a call and a reachable owner is refused', () => {
    verifies('004-17-sampling');
    const owner = new HandClient(ALL_CAPABILITIES);
    owner.isReachable = false;
    for (const it of [bench(), bench({ owner })]) {
      it.ask('1');
      expect(it.answers()).toEqual([{ jsonrpc: '2.0', id: 1, error: REFUSED }]);
      vi.advanceTimersByTime(10 * TIMEOUT);
      expect(it.sent).toHaveLength(1);
    }
  });

  it('with an overlong id is dropped', () => {
    const { sent, ask, call } = bench();
    const { exchange } = call('a');
    ask(`"${'x'.repeat(2_000)}"`, 'a');
    ask(`"${'x'.repeat(2_000)}"`, 'a', 'ping');
    expect([sent, exchange.questions]).toEqual([[], []]);
  });

  it('gets no answer while the server does not read', () => {
    const { sent, wire, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    wire.isReady = false;
    exchange.questions[0]!.answer({ result: '{}' });
    ask('2', 'a', 'ping');
    expect(sent).toEqual([]);
  });

  it('may be answered before ask returns', () => {
    const { sent, calls, expired, ask, call } = bench();
    const { exchange } = call('a');
    exchange.ask = ({ answer }) => {
      answer({ result: '{}' });
      return { withdraw: () => expect.unreachable('it was answered') };
    };
    ask('1', 'a');
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(CALL_TIMEOUT);
    expect([expired, calls.size]).toEqual([['a'], 0]);
  });
});

const ALL_CAPABILITIES = { capabilities: EVERYTHING.raw };

describe('an ability that the server was not told', () => {
  const abilities = readAbilities('{"sampling":{}}');

  it('is withheld even if the call’s client has it', () => {
    verifies('004-17-sampling');
    const { answers, ask, call } = bench({ abilities });
    const { exchange } = call('a');
    ask('1', 'a', 'roots/list');
    ask('2', 'a', 'elicitation/create');
    ask('3', 'a', 'sampling/createMessage');
    expect(answers()).toEqual([
      { jsonrpc: '2.0', id: 1, error: REFUSED },
      { jsonrpc: '2.0', id: 2, error: REFUSED },
    ]);
    expect(exchange.questions.map(({ method }) => method)).toEqual(['sampling/createMessage']);
  });

  it('is withheld even if the owner has it', () => {
    const owner = new HandClient(ALL_CAPABILITIES);
    const { answers, ask } = bench({ owner, abilities });
    ask('1', undefined, 'roots/list');
    expect(answers()).toEqual([{ jsonrpc: '2.0', id: 1, error: REFUSED }]);
    expect(owner.questions).toEqual([]);
  });

  it('that the call’s client lacks is refused by the call itself', () => {
    const { sent, ask, call } = bench({ abilities: readAbilities('{}'), capabilities: '{}' });
    const { exchange } = call('a');
    ask('1', 'a', 'sampling/createMessage');
    expect(exchange.questions).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});

describe('a question ends', () => {
  it('with its answer: a second answer is dropped', () => {
    const { sent, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    const [question] = exchange.questions;
    question!.answer({ result: '{"n":1}' });
    question!.answer({ result: '{"n":2}' });
    question!.answer({ error: '{}' });
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"n":1}}']);
  });

  it('and frees its id: a late answer to the old question is dropped', () => {
    const { sent, ask, call, withdraw } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    withdraw('{"requestId":1}');
    ask('1', 'a');
    exchange.questions[0]!.answer({ result: '{"for":"old"}' });
    expect(sent).toEqual([]);
    exchange.questions[1]!.answer({ result: '{"for":"new"}' });
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"for":"new"}}']);
  });

  it('when the server withdraws it: the client is told, and its answer is dropped', () => {
    const { sent, ask, call, withdraw } = bench();
    const { exchange } = call('a');
    ask('"q"', 'a');
    for (const params of ['{}', '{"requestId":"r"}', '{"requestId":1}', '{"requestId":null}'])
      withdraw(params);
    expect(exchange.withdrawn).toEqual([]);
    withdraw('{"requestId":"q"}');
    withdraw('{"requestId":"q"}');
    expect(exchange.withdrawn).toEqual(['the server no longer asks']);
    exchange.questions[0]!.answer({ result: '{}' });
    expect(sent).toEqual([]);
  });

  it('with its call, and other questions stay open', () => {
    const { questions, calls, ask, call } = bench();
    const one = call('a');
    const other = call('b');
    ask('1', 'a');
    ask('2', 'a');
    ask('3', 'b');
    calls.take('a');
    questions.forget(one.call);
    expect(one.exchange.withdrawn).toEqual(['the call has ended', 'the call has ended']);
    expect(other.exchange.withdrawn).toEqual([]);
    expect(one.call.questions).toBe(0);
  });

  it('with its connection', () => {
    const owner = new HandClient(ALL_CAPABILITIES);
    const { sent, questions, ask, call } = bench({ owner });
    const { exchange } = call('a');
    ask('1', 'a');
    ask('2');
    questions.forgetAll();
    questions.forgetAll();
    expect([exchange.withdrawn, owner.withdrawn]).toEqual([['the server is gone'], ['the server is gone']]);
    owner.questions[0]!.answer({ result: '{}' });
    expect(sent).toEqual([]);
  });

  it('at its timeout: client and server are told, and the call’s deadline restarts', () => {
    const { answers, expired, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    vi.advanceTimersByTime(TIMEOUT - 1);
    expect([exchange.withdrawn, answers(), expired]).toEqual([[], [], []]);
    vi.advanceTimersByTime(1);
    expect(exchange.withdrawn).toEqual(['it was not answered in time']);
    expect(answers()).toMatchObject([{ id: 1, error: { code: -32603 } }]);
    exchange.questions[0]!.answer({ result: '{}' });
    expect(answers()).toHaveLength(1);
    vi.advanceTimersByTime(CALL_TIMEOUT);
    expect(expired).toEqual(['a']);
  });

  it('without leaving a timer behind', () => {
    const { calls, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    exchange.questions[0]!.answer({ result: '{}' });
    calls.takeAll();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('several questions', () => {
  it('suspend the deadline of their call until the last is answered', () => {
    const { expired, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    ask('2', 'a');
    exchange.questions[1]!.answer({ result: '{}' });
    vi.advanceTimersByTime(10 * CALL_TIMEOUT);
    expect(expired).toEqual([]);
    exchange.questions[0]!.answer({ result: '{}' });
    vi.advanceTimersByTime(CALL_TIMEOUT);
    expect(expired).toEqual(['a']);
  });

  it('with one id are one question', () => {
    const { sent, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    ask('1', 'a');
    ask('1', 'a', 'x');
    expect([exchange.questions.length, sent]).toEqual([1, []]);
    exchange.questions[0]!.answer({ result: '{}' });
    expect(sent).toHaveLength(1);
  });

  it('with ids that look alike are separate', () => {
    const { sent, ask, call } = bench();
    const { exchange } = call('a');
    ask('1', 'a');
    ask('"1"', 'a');
    exchange.questions[1]!.answer({ result: '{"n":2}' });
    exchange.questions[0]!.answer({ result: '{"n":1}' });
    expect(sent).toEqual([
      '{"jsonrpc":"2.0","id":"1","result":{"n":2}}',
      '{"jsonrpc":"2.0","id":1,"result":{"n":1}}',
    ]);
  });

  it('above the limit are refused, and accepted again after some were answered', () => {
    const { answers, ask, call } = bench();
    const { exchange } = call('a');
    for (let id = 0; id < 70; id++) ask(String(id), 'a');
    expect(exchange.questions).toHaveLength(64);
    expect(answers().map(({ id }) => id)).toEqual([64, 65, 66, 67, 68, 69]);
    expect(answers()[0]!.error).toEqual(REFUSED);
    exchange.questions[0]!.answer({ result: '{}' });
    ask('70', 'a');
    expect(exchange.questions).toHaveLength(65);
  });
});

describe('a question on a pipe, which does not name its call', () => {
  /** Matched to the first running call. */
  function pipe(era: Era = 'legacy') {
    let first: PendingCall | undefined;
    const owner = new HandClient(ALL_CAPABILITIES);
    const it = bench({ owner, era, guess: () => first });
    const [one, other] = [it.call('a'), it.call('b')];
    first = one.call;
    return { ...it, one, other };
  }

  it('is refused on a shared connection if it fits two calls', () => {
    let first: PendingCall | undefined;
    const { answers, ask, call } = bench({ guess: () => first });
    const one = call('a');
    first = one.call;
    ask('1');
    expect(one.exchange.questions).toHaveLength(1);
    const other = call('b');
    ask('2');
    expect([one.exchange.questions.length, other.exchange.questions.length]).toEqual([1, 0]);
    expect(answers()).toHaveLength(1);
  });

  it.each<Era>(['legacy', 'modern'])('that a %s client cannot answer ends no call if it fits two', (era) => {
    let first: PendingCall | undefined;
    const parts = { owner: new HandClient(), abilities: readAbilities('{}'), capabilities: '{}', era };
    const { answers, ask, call, lateQuestions } = bench({ ...parts, guess: () => first });
    const one = call('a');
    first = one.call;
    ask('1');
    expect(one.exchange.questions).toHaveLength(1);
    lateQuestions.areExpected = true;
    ask('2');
    lateQuestions.areExpected = false;
    call('b');
    ask('3');
    expect(one.exchange.questions).toHaveLength(1);
    expect(answers()).toEqual([2, 3].map((id) => ({ jsonrpc: '2.0', id, error: REFUSED })));
  });

  it('is asked once, and suspends the deadline of every call that it fits', () => {
    const { expired, ask, one, other, call } = pipe();
    call('stranger', 'd');
    ask('1');
    expect([one.exchange.questions.length, other.exchange.questions.length]).toEqual([1, 0]);
    vi.advanceTimersByTime(10 * CALL_TIMEOUT);
    expect(expired).toEqual(['stranger']);
    one.exchange.questions[0]!.answer({ result: '{}' });
    vi.advanceTimersByTime(CALL_TIMEOUT);
    expect(expired.toSorted()).toEqual(['a', 'b', 'stranger']);
  });

  it('stays open when the matched call ends: it may belong to another', () => {
    const { sent, questions, calls, ask, one, other } = pipe();
    ask('1');
    calls.take('a');
    questions.forget(one.call);
    expect(one.exchange.withdrawn).toEqual([]);
    expect(other.exchange.questions).toEqual([]);
    one.exchange.questions[0]!.answer({ result: '{"n":1}' });
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"n":1}}']);
  });

  it('stays with the owner after all calls that it fits have ended', () => {
    const { sent, questions, calls, ask, one, other } = pipe();
    ask('1');
    for (const { call } of [one, other]) {
      calls.take(call.id);
      questions.forget(call);
    }
    expect(one.exchange.withdrawn).toEqual([]);
    one.exchange.questions[0]!.answer({ result: '{}' });
    expect(sent).toHaveLength(1);
  });

  it('is asked again in another call of a modern client after its call ended', () => {
    const { sent, questions, calls, ask, one, other } = pipe('modern');
    ask('1');
    calls.take('a');
    questions.forget(one.call);
    expect(other.exchange.questions).toHaveLength(1);
    other.exchange.questions[0]!.answer({ result: '{"n":2}' });
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"n":2}}']);
  });

  it('does not affect calls that start later', () => {
    const { expired, ask, one, call } = pipe();
    ask('1');
    call('late');
    vi.advanceTimersByTime(CALL_TIMEOUT);
    expect(expired).toEqual(['late']);
    one.exchange.questions[0]!.answer({ result: '{}' });
  });
});
