import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { readAbilities } from '../client.ts';
import { PincerError } from '../errors.ts';
import { outcomeUnknown, type Outcome } from '../outcome.ts';
import type { Answer, Asked } from '../request.ts';
import { jsonBytes } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';
import { Conversation } from './conversation.ts';
import { createParking, type Parking } from './parking.ts';
import type { State } from './request-state.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const GATHER_MS = 15;
const QUESTION_TIMEOUT_MS = 10_000;
const OK: Outcome = { kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' };
const CANCELLED = outcomeUnknown(new PincerError('CALL_CANCELLED', 'Cancelled.'));
const S = 'sampling/createMessage';
const E = 'elicitation/create';

interface Bench {
  readonly conversation: Conversation;
  /** The first round's caller. */
  readonly first: HandExchange;
  readonly parking: Parking;
  /** Sealed states. The client got them as `state 0`, `state 1` … */
  readonly sealed: State[];
  readonly cancelled: string[];
  /** The server asks. Collects the answers. */
  ask(method: string, params?: string): { asked: Asked; answers: Answer[] };
  /** The client returns with the state of this round. */
  resume(state: string, responses?: string): HandExchange;
}

function bench(capabilities = '{"sampling":{},"elicitation":{},"roots":{}}', maxParkedCalls = 8): Bench {
  const sealed: State[] = [];
  const cancelled: string[] = [];
  const first = new HandExchange();
  const parking = createParking({ maxParkedCalls, questionTimeoutMs: QUESTION_TIMEOUT_MS });
  const conversation = new Conversation(
    {
      caller: 'c',
      server: 's',
      abilities: () => readAbilities(capabilities),
      parking,
      seal: (state) => `state ${sealed.push(state) - 1}`,
    },
    first,
  );
  conversation.start(() => ({
    // Like a real connection, settles at once on cancel.
    cancel(reason) {
      cancelled.push(reason);
      conversation.settle(CANCELLED);
    },
  }));
  return {
    conversation,
    first,
    parking,
    sealed,
    cancelled,
    ask(method, params = '{}') {
      const answers: Answer[] = [];
      const asked = conversation.ask({ method, params, answer: (answer) => void answers.push(answer) });
      return { asked, answers };
    },
    resume(state, responses = '{}') {
      const { parked } = sealed[Number(state.slice('state '.length))] as { parked: string };
      expect(parking.claim('c', parked)).toBe(conversation);
      const exchange = new HandExchange();
      conversation.resume(exchange, readMembers(responses));
      return exchange;
    },
  };
}

interface Required {
  readonly resultType: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params: unknown }>>;
  readonly requestState: string;
}

/** The round's result, which must be `input_required`. */
function required(exchange: HandExchange): Required {
  expect(exchange.outcomes).toMatchObject([{ kind: 'ok', era: 'modern', extra: '' }]);
  const result = JSON.parse((exchange.outcomes[0] as { result: string }).result) as Required;
  expect(result.resultType).toBe('input_required');
  return result;
}

const waitForRound = (): void => void vi.advanceTimersByTime(GATHER_MS);

describe('a call without questions', () => {
  it('passes everything on unchanged', () => {
    const { conversation, first } = bench();
    conversation.notify('notifications/progress', '{"n":1.0}');
    conversation.settle(OK);
    expect(first.notified).toEqual(['notifications/progress {"n":1.0}']);
    expect(first.outcomes).toEqual([OK]);
    expect(first.outcomes[0]).toBe(OK);
  });

  it('ends once', () => {
    const { conversation, first } = bench();
    conversation.settle(OK);
    conversation.settle(CANCELLED);
    conversation.notify('late', '{}');
    expect([first.outcomes, first.notified]).toEqual([[OK], []]);
  });

  it('is cancelled at the server', () => {
    const { conversation, first, cancelled } = bench();
    conversation.cancel('enough');
    expect([cancelled, first.outcomes]).toEqual([['enough'], [CANCELLED]]);
  });
});

describe('questions', () => {
  it('asked together form one result', () => {
    const { first, ask } = bench();
    ask(S, '{"n": 1.0,"deep":{"n": 99999999999999999999}}');
    vi.advanceTimersByTime(GATHER_MS - 1);
    ask(E, '{"message":"x"}');
    expect(first.outcomes).toEqual([]);
    waitForRound();
    const { inputRequests, requestState } = required(first);
    expect(Object.values(inputRequests).map(({ method }) => method)).toEqual([S, E]);
    expect((first.outcomes[0] as { result: string }).result).toContain('{"n": 99999999999999999999}');
    expect(requestState).toBe('state 0');
  });

  it('withdrawn before they were sent are not asked', () => {
    const { conversation, first, ask } = bench();
    const { asked } = ask(S);
    ask(E);
    asked.withdraw('never mind');
    waitForRound();
    expect(Object.values(required(first).inputRequests).map(({ method }) => method)).toEqual([E]);
    expect(conversation).toBeDefined();
  });

  it('that are all withdrawn do not affect the call', () => {
    const { conversation, first, ask } = bench();
    ask(S).asked.withdraw('never mind');
    vi.advanceTimersByTime(1_000);
    expect(first.outcomes).toEqual([]);
    conversation.settle(OK);
    expect(first.outcomes).toEqual([OK]);
  });

  it('that the server did not wait for are not asked', () => {
    const { conversation, first, ask, sealed } = bench();
    ask(S);
    conversation.settle(OK);
    vi.advanceTimersByTime(1_000);
    expect([first.outcomes, sealed]).toEqual([[OK], []]);
  });

  it('are answered when the client returns, and the call continues', () => {
    const { conversation, first, ask, resume } = bench();
    const sampling = ask(S);
    const elicitation = ask(E);
    waitForRound();
    const [a, b] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${b}":{"action":"accept"},"${a}":{"n": 99999999999999999999}}`);
    expect(sampling.answers).toEqual([{ result: '{"n": 99999999999999999999}' }]);
    expect(elicitation.answers).toEqual([{ result: '{"action":"accept"}' }]);
    expect(second.outcomes).toEqual([]);
    conversation.notify('notifications/progress', '{}');
    conversation.settle(OK);
    expect([second.notified.length, second.outcomes]).toEqual([1, [OK]]);
    expect(first.outcomes).toHaveLength(1);
  });

  it('without an answer are asked again, under another state', () => {
    const { first, ask, resume, sealed } = bench();
    const one = ask(S);
    const other = ask(E);
    waitForRound();
    const [a, b] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${a}":{}}`);
    const again = required(second);
    expect(Object.keys(again.inputRequests)).toEqual([b]);
    expect(again.requestState).toBe('state 1');
    expect(sealed[1]).not.toEqual(sealed[0]);
    expect([one.answers.length, other.answers.length]).toEqual([1, 0]);
    const third = resume('state 1', `{"${a}":{"again":1},"${b}":{}}`);
    expect([one.answers.length, other.answers.length, third.outcomes.length]).toEqual([1, 1, 0]);
  });

  it.each(['{}', '{"other":{}}', '{"sampling_1":7}', '{"sampling_1":[]}', '{"sampling_1":null}'])(
    'answered by %s stay open',
    (responses) => {
      const { first, ask, resume } = bench();
      const { answers } = ask(S);
      waitForRound();
      expect(Object.keys(required(first).inputRequests)).toEqual(['sampling_1']);
      required(resume('state 0', responses));
      expect(answers).toEqual([]);
    },
  );

  it('that arrive meanwhile are asked when the client returns', () => {
    const { first, ask, resume } = bench();
    ask(S);
    waitForRound();
    const later = ask(E);
    vi.advanceTimersByTime(1_000);
    const [key] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${key}":{}}`);
    expect(Object.values(required(second).inputRequests).map(({ method }) => method)).toEqual([E]);
    resume('state 1', `{"${Object.keys(required(second).inputRequests)[0]}":{"n":1}}`);
    expect(later.answers).toEqual([{ result: '{"n":1}' }]);
  });

  it('withdrawn meanwhile need no answer', () => {
    const { conversation, first, ask, resume } = bench();
    const { asked, answers } = ask(S);
    waitForRound();
    asked.withdraw('never mind');
    const [key] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${key}":{}}`);
    expect([answers, second.outcomes]).toEqual([[], []]);
    conversation.settle(OK);
    expect(second.outcomes).toEqual([OK]);
  });

  it('of successive rounds have distinct keys', () => {
    const { first, ask, resume } = bench();
    ask(S);
    waitForRound();
    const [a] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${a}":{}}`);
    ask(S);
    waitForRound();
    expect(Object.keys(required(second).inputRequests)).not.toContain(a);
  });
});

describe('a call that ends between rounds', () => {
  it.each<[string, Outcome]>([
    ['an answer', OK],
    ['a loss', outcomeUnknown(new PincerError('SERVER_GONE', 'Gone.'))],
  ])('with %s is delivered when the client returns, with any answers', (_how, outcome) => {
    const { conversation, first, ask, resume } = bench();
    const { answers } = ask(S);
    waitForRound();
    conversation.settle(outcome);
    expect(first.outcomes).toHaveLength(1);
    const [key] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${key}":{}}`);
    expect(second.outcomes).toEqual([outcome]);
    expect(answers).toEqual([]);
  });

  it('drops its progress', () => {
    const { conversation, first, ask } = bench();
    ask(S);
    waitForRound();
    conversation.notify('notifications/progress', '{}');
    expect(first.notified).toEqual([]);
  });
});

describe('a missing ability', () => {
  it.each([
    ['{"elicitation":{}}', S, 'sampling'],
    ['{}', E, 'elicitation'],
    ['{"sampling":true}', S, 'sampling'],
    ['{"sampling":{}}', 'other/method', 'other/method'],
  ])('with %s ends the call at %s and reports it to the server', (capabilities, method, ability) => {
    const { first, ask, cancelled } = bench(capabilities);
    const { answers } = ask(method);
    expect(answers).toHaveLength(1);
    expect(JSON.parse((answers[0] as { error: string }).error)).toMatchObject({ code: -32601 });
    expect(first.outcomes).toMatchObject([
      {
        // The server had already started.
        kind: 'outcome_unknown',
        reason: { code: 'CAPABILITY_MISSING', data: { requiredCapabilities: { [ability]: {} } } },
      },
    ]);
    expect(cancelled).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends the call even if other questions are open', () => {
    const { first, ask, sealed } = bench('{"sampling":{}}');
    ask(S);
    ask(E);
    vi.advanceTimersByTime(1_000);
    expect(first.outcomes).toMatchObject([{ reason: { code: 'CAPABILITY_MISSING' } }]);
    expect(sealed).toEqual([]);
  });

  it('found between rounds is reported when the client returns', () => {
    const { ask, resume, cancelled } = bench('{"sampling":{}}');
    ask(S);
    waitForRound();
    ask(E);
    expect(cancelled).toHaveLength(1);
    expect(resume('state 0').outcomes).toMatchObject([{ reason: { code: 'CAPABILITY_MISSING' } }]);
  });

  it('found while the call starts still cancels it', () => {
    const cancelled: string[] = [];
    const exchange = new HandExchange();
    const conversation = new Conversation(
      {
        caller: 'c',
        server: 's',
        abilities: () => readAbilities('{}'),
        parking: createParking({ maxParkedCalls: 1, questionTimeoutMs: 1_000 }),
        seal: () => expect.unreachable('no state expected'),
      },
      exchange,
    );
    conversation.start((upstream) => {
      upstream.ask({ method: S, params: '{}', answer: () => undefined });
      return { cancel: (reason) => void cancelled.push(reason) };
    });
    expect([exchange.kinds, cancelled.length]).toEqual([['outcome_unknown'], 1]);
  });
});

describe('a client with too many open calls', () => {
  it('gets SERVER_BUSY, and the server is told to stop', () => {
    const { first, ask, cancelled } = bench(undefined, 0);
    ask(S);
    waitForRound();
    expect(first.outcomes).toMatchObject([{ kind: 'outcome_unknown', reason: { code: 'SERVER_BUSY' } }]);
    expect(cancelled).toHaveLength(1);
  });
});

describe('an unreadable question', () => {
  it('ends the call even though it is found later', () => {
    const { first, ask, cancelled } = bench();
    ask(E, '{"_meta":{"a":1,"a":2}}');
    waitForRound();
    expect(first.kinds).toEqual(['outcome_unknown']);
    expect(cancelled).toHaveLength(1);
  });
});

describe('a client that does not return', () => {
  it('causes an error to the server, and the call is cancelled', () => {
    const { ask, cancelled, parking, sealed } = bench();
    const { answers } = ask(S);
    waitForRound();
    vi.advanceTimersByTime(QUESTION_TIMEOUT_MS);
    expect(answers).toHaveLength(1);
    expect(JSON.parse((answers[0] as { error: string }).error)).toMatchObject({ code: -32603 });
    expect(cancelled).toEqual(['the client did not come back with answers']);
    expect(parking.claim('c', (sealed[0] as { parked: string }).parked)).toBeUndefined();
  });
});

describe('cancelling', () => {
  it('before the questions were sent ends the call', () => {
    const { conversation, first, ask, sealed } = bench();
    ask(S);
    conversation.cancel('enough');
    vi.advanceTimersByTime(1_000);
    expect([first.outcomes, sealed]).toEqual([[CANCELLED], []]);
  });

  it('in a later round reaches the same call', () => {
    const { conversation, first, ask, resume, cancelled } = bench();
    ask(S);
    waitForRound();
    const [key] = Object.keys(required(first).inputRequests);
    const second = resume('state 0', `{"${key}":{}}`);
    conversation.cancel('enough');
    expect([cancelled, second.outcomes]).toEqual([['enough'], [CANCELLED]]);
  });
});

describe('a modern server', () => {
  const ask = (members: string): Outcome => ({
    kind: 'ok',
    result: `{"resultType":"input_required"${members}}`,
    era: 'modern',
    extra: ',"x":1.0',
  });

  it('has its state sealed and everything else unchanged', () => {
    const { conversation, first, sealed } = bench();
    conversation.settle(
      ask(',"inputRequests":{"a":{"method":"roots/list","n":1.0}},"requestState":"s-\\u0031","n":1.0'),
    );
    expect(sealed).toEqual([{ upstream: '"s-\\u0031"' }]);
    expect(first.outcomes).toEqual([
      ask(',"inputRequests":{"a":{"method":"roots/list","n":1.0}},"requestState":"state 0","n":1.0'),
    ]);
  });

  it('without a state gets none', () => {
    const { conversation, first, sealed } = bench();
    const outcome = ask(',"inputRequests":{}');
    conversation.settle(outcome);
    expect(first.outcomes[0]).toBe(outcome);
    expect(sealed).toEqual([]);
  });

  it('with duplicate keys in its result makes the outcome unknown', () => {
    const { conversation, first } = bench();
    conversation.settle(ask(',"requestState":"a","requestState":"b"'));
    expect(first.outcomes).toMatchObject([{ kind: 'outcome_unknown', reason: { code: 'SERVER_PROTOCOL' } }]);
  });
});

describe('a legacy server that requires a web page', () => {
  const ERROR = jsonBytes({
    code: -32042,
    message: 'Sign in first.',
    data: { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://example.com' }] },
  });

  it('becomes a question in the modern era, and the request is repeated', () => {
    const { conversation, first, sealed } = bench();
    conversation.settle({ kind: 'tool_error', error: ERROR, extra: '' });
    expect(Object.values(required(first).inputRequests)).toEqual([
      { method: E, params: { mode: 'url', url: 'https://example.com' } },
    ]);
    expect(sealed).toEqual([{ isPlainRepeat: true }]);
  });

  it('stays an error for a client without elicitation', () => {
    const { conversation, first } = bench('{"sampling":{}}');
    conversation.settle({ kind: 'tool_error', error: ERROR, extra: '' });
    expect(first.outcomes).toEqual([{ kind: 'tool_error', error: ERROR, extra: '' }]);
  });
});
