import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandSource, type Upstream } from '../../../../../test/kit/fake-source.ts';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { aboutOf, definePrompt, defineResource, defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createSealer } from '../../../../../test/kit/sealer.ts';
import { createParking } from '../eras/parking.ts';
import { createRequestStates } from '../eras/request-state.ts';
import { createCalls, type Call, type Calls } from './calls.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { readAbilities, STRANGER } from '../client.ts';
import { PincerError } from '../errors.ts';
import { outcomeUnknown } from '../outcome.ts';
import { createPolicy, type PolicyRules } from '../policy.ts';
import type { CallRecord } from '../ports.ts';
import type { Era } from '../protocol.ts';
import type { Running } from '../request.ts';
import { createTaskBook } from './task-ids.ts';
import { toByteText } from '../wire/byte-text.ts';
import { findMember, readMembers } from '../wire/members.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const GATHER_MS = 15;
const QUESTION_TIMEOUT_MS = 60_000;
const ABLE = '{"sampling":{},"elicitation":{},"roots":{}}';
const S = 'sampling/createMessage';
const E = 'elicitation/create';

interface Over {
  readonly params?: string;
  readonly method?: string;
  readonly capabilities?: string;
  readonly caller?: string;
}

interface Started {
  readonly exchange: HandExchange;
  readonly running: Running;
}

interface Bench {
  readonly calls: Calls;
  readonly source: HandSource;
  readonly records: CallRecord[];
  readonly time: { now: number };
  readonly known: { hasSource: boolean };
  start(era: Era, over?: Over): Started;
}

function bench(rules: PolicyRules = {}, maxParkedCalls = 8): Bench {
  const source = new HandSource();
  const records: CallRecord[] = [];
  const time = { now: 1_000 };
  const known = { hasSource: true };
  const clock = { now: () => time.now, elapsed: () => time.now };
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: 's', prefix: 's' }]);
  catalog.put(
    's',
    offerOf({
      about: aboutOf({ resources: {} }),
      tools: [
        defineTool({ name: 'x' }),
        defineTool({ name: 'y' }),
        defineTool({ name: 'list', outputSchema: { type: 'array' } }),
        defineTool({
          name: 'routed',
          inputSchema: {
            type: 'object',
            properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
          },
        }),
      ],
      prompts: [definePrompt('p')],
      resources: [defineResource('a:b')],
    }),
  );
  const calls = createCalls({
    catalog,
    policy: () => createPolicy(rules),
    source: () => (known.hasSource ? source : undefined),
    observers: [{ callEnded: (record) => void records.push(record) }],
    whenKnown: () => undefined,
    clock,
    tasks: createTaskBook(),
    parking: createParking({ maxParkedCalls, questionTimeoutMs: QUESTION_TIMEOUT_MS }),
    states: createRequestStates({ sealer: createSealer(), digest: sha256, clock, ttlMs: 600_000 }),
    questionTimeoutMs: QUESTION_TIMEOUT_MS,
  });
  return {
    calls,
    source,
    records,
    time,
    known,
    start(era, over = {}) {
      const { params = '{"name":"s__x","arguments":{"n":1}}', caller = 'c' } = over;
      const members = readMembers(toByteText(params));
      const meta = findMember(members, '_meta');
      const call: Call = {
        caller: { id: caller, name: caller, scopes: {} },
        surface: 'http',
        view: undefined,
        method: over.method ?? 'tools/call',
        params: members,
        meta: meta === undefined ? [] : readMembers(meta),
        era,
        client: { ...STRANGER, abilities: readAbilities(over.capabilities ?? ABLE) },
      };
      const exchange = new HandExchange();
      return { exchange, running: calls.start(call, exchange) };
    },
  };
}

const resultOf = (exchange: HandExchange): Record<string, unknown> => {
  expect(exchange.outcomes).toHaveLength(1);
  const { result } = exchange.outcomes[0] as { result: string };
  return JSON.parse(Buffer.from(result, 'latin1').toString()) as Record<string, unknown>;
};
/** A modern server's request for these inputs. */
const missing = (requests: string, state = ''): string =>
  `{"resultType":"input_required","inputRequests":{${requests}}${state}}`;
const ELICIT = '"a":{"method":"elicitation/create","params":{"message":"?"}}';
/** The same request in a later round. */
const nextRound = (state: unknown, responses = '{}', meta = ''): string =>
  `{"name":"s__x","arguments":{"n":1},"requestState":${JSON.stringify(state)},"inputResponses":${responses}${meta}}`;

describe('a result', () => {
  it.each<[Era, Era]>([
    ['legacy', 'legacy'],
    ['modern', 'modern'],
  ])('in the caller’s era (%s) is passed on unchanged', (era) => {
    const { source, start } = bench();
    const { exchange } = start(era);
    source.last.answer('{"resultType":"complete","content":[],"n": 1.0}', era);
    expect(exchange.outcomes).toEqual([
      { kind: 'ok', result: '{"resultType":"complete","content":[],"n": 1.0}', era, extra: '' },
    ]);
  });

  it('of a legacy server gets its resultType for a modern caller', () => {
    const { source, start } = bench();
    const { exchange } = start('modern');
    source.last.answer('{"content":[],"n":99999999999999999999}');
    expect(exchange.outcomes).toEqual([
      {
        kind: 'ok',
        result: '{"content":[],"n":99999999999999999999,"resultType":"complete"}',
        era: 'modern',
        extra: '',
      },
    ]);
  });

  it('of a modern server loses modern members for a legacy caller, and structured output becomes an object', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy', { params: '{"name":"s__list"}' });
    source.last.answer('{"resultType":"complete","structuredContent":[1.0],"ttlMs":5}', 'modern');
    expect(exchange.outcomes).toMatchObject([
      { result: '{"structuredContent":{"result":[1.0]}}', era: 'legacy' },
    ]);
  });

  it.each<[Era, Era]>([
    ['legacy', 'modern'],
    ['modern', 'legacy'],
  ])('with a duplicate key, from %s to %s, ends the call as outcome_unknown', (from, to) => {
    const { source, start, calls } = bench();
    const { exchange } = start(to);
    source.last.answer('{"content":[],"content":[1]}', from);
    expect(exchange.outcomes).toMatchObject([
      { kind: 'outcome_unknown', reason: { code: 'SERVER_PROTOCOL' } },
    ]);
    expect(calls.inFlight).toBe(0);
  });

  it('that is a JSON-RPC error is passed on in either era', () => {
    const { source, start } = bench();
    for (const era of ['legacy', 'modern'] as const) {
      const { exchange } = start(era);
      source.last.fail('{"code":-1,"data": 1.0}');
      expect(exchange.outcomes).toEqual([
        { kind: 'tool_error', error: '{"code":-1,"data": 1.0}', extra: '' },
      ]);
    }
  });
});

describe('a request', () => {
  it('carries the headers that its tool declares, and no others', () => {
    const { source, start } = bench();
    start('modern', { params: '{"name":"s__routed","arguments":{"region":"eu"}}' });
    start('modern');
    expect(source.asked.map(({ request }) => request.headers)).toEqual([
      { 'Mcp-Param-Region': 'eu' },
      undefined,
    ]);
  });

  it('ends as outcome_unknown if the source throws', () => {
    const { source, start, calls, records } = bench();
    source.throws = new TypeError('broken');
    for (const era of ['legacy', 'modern'] as const)
      expect(start(era).exchange.outcomes).toMatchObject([
        { kind: 'outcome_unknown', reason: { code: 'INTERNAL', message: 'broken' } },
      ]);
    expect([calls.inFlight, records.length]).toEqual([0, 2]);
  });

  it('names its target if it is refused', () => {
    const { start } = bench({ servers: { s: { '*': 'deny' } } });
    const messages = [
      start('legacy'),
      start('legacy', { method: 'prompts/get', params: '{"name":"s__p"}' }),
      start('modern', { method: 'resources/read', params: '{"uri":"a:b"}' }),
    ].map(({ exchange }) => exchange.reason.message);
    expect(messages).toEqual([
      'Policy denies s.x. It was not run.',
      'Policy denies prompts/get at s. It was not run.',
      'Policy denies resources/read at s. It was not run.',
    ]);
  });

  it('is recorded with its method and target', () => {
    const { source, start, records } = bench();
    start('legacy', { method: 'resources/read', params: '{"uri":"a:b"}' });
    source.last.answer('{"contents":[]}');
    expect(records).toMatchObject([{ method: 'resources/read', tool: 'a:b', server: 's', outcome: 'ok' }]);
  });
});

describe('a task that a call begins', () => {
  it.each<[Era, string]>([
    ['legacy', '{"task":{"taskId":"t-1"}}'],
    ['modern', '{"resultType":"task","taskId":"t-1"}'],
  ])('in the %s era belongs to its caller', (era, result) => {
    const { source, start } = bench();
    const get = (caller: string, id: string): Started =>
      start(era, { method: 'tasks/get', params: `{"taskId":"${id}"}`, caller });
    const { exchange } = start(era);
    source.last.answer(result, era);
    const id = /"taskId":"([0-9a-f]{32})"/.exec(JSON.stringify(exchange.outcomes).replaceAll('\\', ''))![1]!;
    expect(get('c', 't-1').exchange.reason.code).toBe('TASK_UNKNOWN');
    get('c', id);
    expect(source.last.request).toMatchObject({ method: 'tasks/get', name: 't-1' });
    expect(get('d', id).exchange.reason.code).toBe('TASK_UNKNOWN');
  });

  it('is created by tools/call only: a resource result cannot create one', () => {
    const { source, start } = bench();
    start('legacy', { method: 'resources/read', params: '{"uri":"a:b"}' });
    source.last.answer('{"task":{"taskId":"t-1"}}');
    const { exchange } = start('legacy', { method: 'tasks/get', params: '{"taskId":"t-1"}' });
    expect(exchange.reason.code).toBe('TASK_UNKNOWN');
  });
});

describe('a question of a legacy server', () => {
  it('reaches a legacy caller that can answer it', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy');
    const answers = source.last.ask(S, '{"n":1.0}');
    expect(exchange.questions).toMatchObject([{ method: S, params: '{"n":1.0}' }]);
    exchange.questions[0]!.answer({ result: '{}' });
    expect(answers).toEqual([{ result: '{}' }]);
  });

  it.each([
    ['{}', S],
    ['{"sampling":{}}', E],
    [ABLE, 'x'],
  ])('is refused if a legacy caller with %s cannot do %s, and the call continues', (capabilities, method) => {
    const { source, start } = bench();
    const { exchange } = start('legacy', { capabilities });
    const answers = source.last.ask(method);
    expect(answers).toHaveLength(1);
    expect(JSON.parse((answers[0] as { error: string }).error)).toMatchObject({ code: -32601 });
    expect(exchange.questions).toEqual([]);
    source.last.answer('{}');
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('is refused after the end of the call', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy');
    source.last.answer('{}');
    expect(source.last.ask(S)).toHaveLength(1);
    expect(exchange.questions).toEqual([]);
  });

  it('becomes a result for a modern caller, which returns with the answer', () => {
    const { source, start, records } = bench();
    const first = start('modern');
    const answers = source.last.ask(E, '{"message":"?"}');
    vi.advanceTimersByTime(GATHER_MS);
    const { requestState, inputRequests } = resultOf(first.exchange) as {
      requestState: string;
      inputRequests: object;
    };
    const [key] = Object.keys(inputRequests);
    const second = start('modern', {
      params: nextRound(requestState, `{"${key}":{"action":"accept","n":1.0}}`),
    });
    expect(answers).toEqual([{ result: '{"action":"accept","n":1.0}' }]);
    expect(source.asked).toHaveLength(1);
    source.last.answer('{"content":[]}');
    expect(resultOf(second.exchange)).toEqual({ content: [], resultType: 'complete' });
    expect(records.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  });

  it('reports progress of a later round under that round’s token', () => {
    const { source, start } = bench();
    const params = '{"name":"s__x","arguments":{"n":1},"_meta":{"progressToken":"one"}}';
    const first = start('modern', { params });
    source.last.exchange.notify('notifications/progress', '{"progressToken":"one","progress":1.0}');
    expect(first.exchange.notified).toEqual([
      'notifications/progress {"progressToken":"one","progress":1.0}',
    ]);
    source.last.ask(E);
    vi.advanceTimersByTime(GATHER_MS);
    const state = resultOf(first.exchange)['requestState'];
    const meta = ',"_meta":{"progressToken":99999999999999999999}';
    const second = start('modern', { params: nextRound(state, '{"elicitation_1":{}}', meta) });
    source.last.exchange.notify('notifications/progress', '{"progressToken":"one","progress":2.0}');
    source.last.exchange.notify('notifications/message', '{"progressToken":"one"}');
    expect(second.exchange.notified).toEqual([
      'notifications/progress {"progressToken":99999999999999999999,"progress":2.0}',
      'notifications/message {"progressToken":"one"}',
    ]);
  });

  it('reports no progress if a later round wants none', () => {
    const { source, start } = bench();
    const first = start('modern', {
      params: '{"name":"s__x","arguments":{"n":1},"_meta":{"progressToken":"one"}}',
    });
    source.last.ask(E);
    vi.advanceTimersByTime(GATHER_MS);
    const state = resultOf(first.exchange)['requestState'];
    const second = start('modern', { params: nextRound(state, '{"elicitation_1":{}}') });
    source.last.exchange.notify('notifications/progress', '{"progressToken":"one","progress":2.0}');
    expect(second.exchange.notified).toEqual([]);
  });
});

describe('a request state', () => {
  function park(it: Bench): string {
    const { exchange } = it.start('modern');
    it.source.last.ask(E);
    vi.advanceTimersByTime(GATHER_MS);
    return resultOf(exchange)['requestState'] as string;
  }

  it('is valid once', () => {
    const it = bench();
    const state = park(it);
    it.start('modern', { params: nextRound(state, '{"elicitation_1":{}}') });
    const again = it.start('modern', { params: nextRound(state, '{"elicitation_1":{}}') });
    expect(again.exchange.reason.code).toBe('STATE_INVALID');
    expect(it.source.asked).toHaveLength(1);
  });

  it.each<[string, Over]>([
    ['another caller', { caller: 'd' }],
    ['another tool', { params: '{"name":"s__y","arguments":{"n":1},"requestState":"STATE"}' }],
    ['other arguments', { params: '{"name":"s__x","arguments":{"n":2},"requestState":"STATE"}' }],
    ['an invented state', { params: nextRound('made up') }],
    ['a state that is not a string', { params: '{"name":"s__x","requestState":7}' }],
    ['a null state', { params: '{"name":"s__x","requestState":null}' }],
  ])('is invalid with %s, and the waiting call is unaffected', (_who, over) => {
    const it = bench();
    const state = park(it);
    const params = (over.params ?? nextRound(state)).replace('STATE', state);
    expect(it.start('modern', { ...over, params }).exchange.reason.code).toBe('STATE_INVALID');
    expect(it.source.asked).toHaveLength(1);
    const { exchange } = it.start('modern', { params: nextRound(state, '{"elicitation_1":{}}') });
    it.source.last.answer('{}');
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('is invalid after it expires', () => {
    const it = bench();
    const state = park(it);
    vi.advanceTimersByTime(QUESTION_TIMEOUT_MS);
    expect(it.source.last.cancelled).toHaveLength(1);
    const { exchange } = it.start('modern', { params: nextRound(state) });
    // The first round may have run in part.
    expect(exchange.outcomes).toMatchObject([{ kind: 'outcome_unknown', reason: { code: 'STATE_INVALID' } }]);
  });

  it('with two answers to one question is refused, and the call keeps waiting', () => {
    const it = bench();
    const state = park(it);
    const { exchange } = it.start('modern', {
      params: nextRound(state, '{"elicitation_1":{},"elicitation_1":{}}'),
    });
    expect(exchange.outcomes).toMatchObject([{ kind: 'not_executed', reason: { code: 'ARGUMENT_INVALID' } }]);
    it.start('modern', { params: nextRound(state, '{"elicitation_1":{}}') });
    it.source.last.answer('{}');
    expect(it.calls.inFlight).toBe(0);
  });

  it('of a modern server is returned to it unchanged, with the answers', () => {
    const { source, start } = bench();
    const first = start('modern');
    source.last.answer(missing(ELICIT, ',"requestState":"s-\\u0031","n":1.0'), 'modern');
    const result = resultOf(first.exchange);
    expect(result).toMatchObject({ resultType: 'input_required', n: 1 });
    expect(result['requestState']).not.toBe('s-1');
    start('modern', { params: nextRound(result['requestState'], '{"a":{"n": 1.0}}') });
    expect(source.last.params).toBe(
      '{"name":"x","arguments":{"n":1},"requestState":"s-\\u0031","inputResponses":{"a":{"n": 1.0}}}',
    );
  });

  it('after a URL elicitation is not part of the repeated request', () => {
    const { source, start } = bench();
    const first = start('modern');
    source.last.fail('{"code":-32042,"message":"x","data":{"elicitations":[{"mode":"url","url":"u"}]}}');
    const state = resultOf(first.exchange)['requestState'];
    start('modern', { params: nextRound(state, '{"elicitation_url_1":{"action":"accept"}}') });
    expect(source.last.params).toBe('{"name":"x","arguments":{"n":1}}');
  });
});

describe('an input request of a modern server', () => {
  it('is asked of a legacy caller, and the call is repeated with the answers', () => {
    const { source, start, records } = bench();
    const { exchange } = start('legacy');
    source.last.answer(missing(`${ELICIT},"b":{"method":"roots/list"}`, ',"requestState":"s"'), 'modern');
    expect([exchange.outcomes, records]).toEqual([[], []]);
    expect(exchange.questions.map(({ method }) => method)).toEqual([E, 'roots/list']);
    exchange.questions[1]!.answer({ result: '{"roots":[]}' });
    exchange.questions[0]!.answer({ result: '{"action":"accept"}' });
    expect(source.asked).toHaveLength(2);
    expect(JSON.parse(source.last.params)).toEqual({
      name: 'x',
      arguments: { n: 1 },
      inputResponses: { a: { action: 'accept' }, b: { roots: [] } },
      requestState: 's',
    });
    source.last.answer('{"resultType":"complete","content":[]}', 'modern');
    expect(exchange.outcomes).toMatchObject([{ kind: 'ok', result: '{"content":[]}', era: 'legacy' }]);
    expect(records).toHaveLength(1);
  });

  it('is not sent again in the next round', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy');
    source.last.answer(missing(ELICIT, ',"requestState":"s"'), 'modern');
    exchange.questions[0]!.answer({ result: '{}' });
    source.last.answer(missing(''), 'modern');
    expect(source.last.params).toBe('{"name":"x","arguments":{"n":1}}');
  });

  it('that the caller cannot answer ends the call with an error', () => {
    const { source, start, calls } = bench();
    const { exchange } = start('legacy', { capabilities: '{}' });
    source.last.answer(missing('"a":{"method":"roots/list"}'), 'modern');
    expect(exchange.outcomes).toMatchObject([{ kind: 'tool_error' }]);
    expect(calls.inFlight).toBe(0);
  });

  it('that cannot be read ends the call as outcome_unknown', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy');
    source.last.answer(missing('"a":{"method":"roots/list"},"a":{"method":"roots/list"}'), 'modern');
    expect(exchange.outcomes).toMatchObject([
      { kind: 'outcome_unknown', reason: { code: 'SERVER_PROTOCOL' } },
    ]);
    expect(exchange.questions).toEqual([]);
  });

  it('is withdrawn when the caller cancels', () => {
    const { source, start } = bench();
    const { exchange, running } = start('legacy');
    source.last.answer(missing(ELICIT), 'modern');
    running.cancel('enough');
    expect(exchange.withdrawn).toEqual(['enough']);
    expect(exchange.outcomes).toMatchObject([
      { kind: 'outcome_unknown', reason: { code: 'CALL_CANCELLED' } },
    ]);
    exchange.questions[0]!.answer({ result: '{}' });
    expect(source.asked).toHaveLength(1);
  });

  it('once answered, lets the repeated call be cancelled', () => {
    const { source, start } = bench();
    const { exchange, running } = start('legacy');
    source.last.answer(missing(ELICIT), 'modern');
    exchange.questions[0]!.answer({ result: '{}' });
    running.cancel('enough');
    expect(source.last.cancelled).toEqual(['enough']);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('ends the call if the server was removed meanwhile', () => {
    const { source, start, known } = bench();
    const { exchange } = start('legacy');
    source.last.answer(missing(ELICIT), 'modern');
    known.hasSource = false;
    exchange.questions[0]!.answer({ result: '{}' });
    expect(exchange.outcomes).toHaveLength(1);
  });

  it('ends the call as outcome_unknown if the source throws meanwhile', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy');
    source.last.answer(missing(ELICIT), 'modern');
    source.throws = new TypeError('broken');
    exchange.questions[0]!.answer({ result: '{}' });
    expect(exchange.outcomes).toMatchObject([{ kind: 'outcome_unknown', reason: { code: 'INTERNAL' } }]);
  });

  it('ends the call if the caller does not answer in time', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy');
    source.last.answer(missing(ELICIT), 'modern');
    vi.advanceTimersByTime(QUESTION_TIMEOUT_MS);
    expect([exchange.kinds, exchange.withdrawn.length]).toEqual([['tool_error'], 1]);
  });

  it('is not asked in a completion', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy', {
      method: 'completion/complete',
      params: '{"ref":{"type":"ref/prompt","name":"s__p"}}',
    });
    source.last.answer(missing(ELICIT), 'modern');
    expect([exchange.kinds, exchange.questions]).toEqual([['ok'], []]);
  });
});

/** Events in a hub with some calls under way; `index` picks the target. */
const STEPS = [
  'start legacy',
  'start modern',
  // Listed twice, because these lead to the interesting states.
  'miss something',
  'ask',
  'client answers',
  'client comes back',
  'wait a moment',
  'answer legacy',
  'answer modern',
  'answer badly',
  'miss something',
  'miss nothing',
  'fail',
  'lose',
  'notify',
  'ask',
  'client answers',
  'client refuses',
  'client cancels',
  'client comes back',
  'wait a moment',
  'wait long',
] as const;

it('each call ends once and is recorded once, in any order of events', () => {
  const step = fc.tuple(fc.constantFrom(...STEPS), fc.nat(100));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const { calls, source, records, start } = bench({}, 2);
      const started: Started[] = [];
      const pick = <T>(from: readonly T[], index: number): T | undefined =>
        from.length === 0 ? undefined : from[index % from.length];
      /** Requests that the server still works on; sometimes a finished one. */
      const open = (): readonly Upstream[] => {
        const under = source.asked.filter(({ isOver }) => !isOver);
        return under.length > 0 ? under : source.asked;
      };
      const states = (): string[] =>
        started.flatMap(({ exchange }) =>
          exchange.outcomes.flatMap((outcome) => {
            const state = 'result' in outcome && (JSON.parse(outcome.result) as { requestState?: unknown });
            return state && typeof state.requestState === 'string' ? [state.requestState] : [];
          }),
        );
      const perform: Record<(typeof STEPS)[number], (index: number) => void> = {
        'start legacy': (index) =>
          void started.push(
            start('legacy', { capabilities: pick([ABLE, '{}', '{"elicitation":{}}'], index)! }),
          ),
        'start modern': (index) =>
          void started.push(
            start('modern', { capabilities: pick([ABLE, '{}', '{"elicitation":{}}'], index)! }),
          ),
        'answer legacy': (index) => pick(open(), index)?.answer('{"content":[]}'),
        'answer modern': (index) => pick(open(), index)?.answer('{"resultType":"complete"}', 'modern'),
        'answer badly': (index) => pick(open(), index)?.answer('{"a":1,"a":"input_required"}', 'modern'),
        'miss something': (index) =>
          pick(open(), index)?.answer(
            missing(`${ELICIT},"b":{"method":"${S}"}`, ',"requestState":"s"'),
            'modern',
          ),
        'miss nothing': (index) => pick(open(), index)?.answer(missing(''), 'modern'),
        fail: (index) => pick(open(), index)?.fail('{"code":-1}'),
        lose: (index) =>
          pick(open(), index)?.exchange.settle(outcomeUnknown(new PincerError('SERVER_GONE', 'x'))),
        notify: (index) => pick(open(), index)?.exchange.notify('notifications/progress', '{}'),
        ask(index) {
          const upstream = pick(open(), index);
          if (upstream?.isOver === false) upstream.ask(pick([S, E, 'x'], index)!);
        },
        'client answers': (index) =>
          pick(
            started.flatMap(({ exchange }) => exchange.questions),
            index,
          )?.answer({ result: '{}' }),
        'client refuses': (index) =>
          pick(
            started.flatMap(({ exchange }) => exchange.questions),
            index,
          )?.answer({ error: '{"code":-1}' }),
        'client cancels': (index) => pick(started, index)?.running.cancel('enough'),
        'client comes back'(index) {
          const responses = pick(['{}', '{"sampling_1":{}}', '{"sampling_1":{},"elicitation_1":{}}'], index)!;
          const state = pick(states(), index);
          if (state !== undefined) started.push(start('modern', { params: nextRound(state, responses) }));
        },
        'wait a moment': () => void vi.advanceTimersByTime(GATHER_MS),
        'wait long': () => void vi.advanceTimersByTime(QUESTION_TIMEOUT_MS),
      };
      const check = (): void => {
        for (const { exchange } of started) expect(exchange.outcomes.length).toBeLessThanOrEqual(1);
        const ended = started.filter(({ exchange }) => exchange.outcomes.length === 1).length;
        expect(records).toHaveLength(ended);
        expect(calls.inFlight).toBe(started.length - ended);
        // A server gets one round of a call at a time.
        const asked = source.asked.filter(({ isOver }) => !isOver).map(({ request }) => request.client);
        expect(asked).toHaveLength(new Set(asked).size);
      };
      for (const [what, index] of steps) {
        perform[what](index);
        check();
      }
      for (const { running } of started) running.cancel('the end');
      check();
      expect(calls.inFlight).toBe(0);
      // Messages after the end are ignored.
      for (const { exchange } of started)
        for (const { answer } of exchange.questions) answer({ result: '{}' });
      for (const { exchange } of source.asked)
        exchange.settle({ kind: 'ok', result: '{}', era: 'legacy', extra: '' });
      vi.advanceTimersByTime(10 * QUESTION_TIMEOUT_MS);
      check();
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns: 300 },
  );
});
