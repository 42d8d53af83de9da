/** Calls that need a person's approval, from the caller's end to the source's. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApprovalStore } from '../../../../../test/kit/approval-store.ts';
import { HandSource } from '../../../../../test/kit/fake-source.ts';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { aboutOf, definePrompt, defineResource, defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { createSealer } from '../../../../../test/kit/sealer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { createApprovals, type Approvals, type OpenApproval } from '../approvals/approvals.ts';
import { createParking } from '../eras/parking.ts';
import { createRequestStates } from '../eras/request-state.ts';
import { createCalls, type Call, type Calls } from './calls.ts';
import { createCatalog, type Catalog } from '../catalog/catalog.ts';
import { readAbilities, STRANGER } from '../client.ts';
import { PincerError } from '../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { notExecuted, outcomeUnknown } from '../outcome.ts';
import { createPolicy, type PolicyRules } from '../policy.ts';
import type { CallRecord } from '../ports.ts';
import type { Era } from '../protocol.ts';
import type { Running } from '../request.ts';
import { createTaskBook } from './task-ids.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const WAIT_MS = DEFAULT_LIMITS.approvalWaitMs;
const TTL_MS = DEFAULT_LIMITS.approvalTtlMs;
const ABLE = '{"elicitation":{}}';
const ERAS: Era[] = ['legacy', 'modern'];
const PARAMS = '{"name":"s__x","arguments":{"n":1}}';
const OK = '{"content":[],"resultType":"complete"}';

/** The caller's end; it also records `pause` and `goOn`. */
class WaitingExchange extends HandExchange {
  readonly waited: string[] = [];
  mayGoOn = true;

  override pause(): void {
    this.waited.push('pause');
  }

  override goOn(): boolean {
    this.waited.push('goOn');
    return this.mayGoOn;
  }

  get result(): Record<string, unknown> {
    const { result } = this.outcomes[0] as { result: string };
    return JSON.parse(Buffer.from(result, 'latin1').toString()) as Record<string, unknown>;
  }

  get question(): { message: string } {
    return JSON.parse(Buffer.from(this.questions.at(-1)!.params, 'latin1').toString()) as { message: string };
  }
}

interface Over extends Partial<Call> {
  readonly json?: string;
  readonly approve?: boolean;
  readonly capabilities?: string;
}

interface Bench {
  readonly calls: Calls;
  readonly approvals: Approvals;
  readonly catalog: Catalog;
  readonly source: HandSource;
  readonly store: ApprovalStore;
  readonly records: CallRecord[];
  readonly notified: OpenApproval[];
  readonly rules: { now: PolicyRules };
  readonly known: { source: HandSource | undefined };
  /** Origin of the server: its identity besides its name. */
  readonly origin: { now: string };
  start(era: Era, over?: Over): { exchange: WaitingExchange; running: Running };
  later(ms: number): void;
}

function bench(rules: PolicyRules = { default: 'ask' }): Bench {
  const source = new HandSource();
  const store = new ApprovalStore();
  const records: CallRecord[] = [];
  const notified: OpenApproval[] = [];
  const current = { now: rules };
  const known: Bench['known'] = { source };
  const origin = { now: 'o-1' };
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: 's', prefix: 's' }]);
  catalog.put('s', OFFER);
  let ids = 0;
  const approvals = createApprovals({
    store,
    clock,
    digest: sha256,
    origin: () => origin.now,
    newId: () => `id-${++ids}`,
    limits: DEFAULT_LIMITS,
    notify: (approval) => void notified.push(approval),
  });
  const calls = createCalls({
    catalog,
    approvals,
    policy: () => createPolicy(current.now),
    source: () => known.source,
    observers: [{ callEnded: (record) => void records.push(record) }],
    whenKnown: () => undefined,
    clock,
    tasks: createTaskBook(),
    parking: createParking({ maxParkedCalls: 8, questionTimeoutMs: 600_000 }),
    states: createRequestStates({ sealer: createSealer(), digest: sha256, clock, ttlMs: 600_000 }),
    questionTimeoutMs: 600_000,
  });
  return {
    calls,
    approvals,
    catalog,
    source,
    store,
    records,
    notified,
    rules: current,
    known,
    origin,
    start(era, { json = PARAMS, approve, capabilities = '{}', ...over } = {}) {
      const call: Call = {
        caller: { id: 'c', name: 'laptop', scopes: approve === undefined ? {} : { approve } },
        surface: 'http',
        view: undefined,
        method: 'tools/call',
        params: readMembers(toByteText(json)),
        meta: [],
        era,
        client: { ...STRANGER, abilities: readAbilities(capabilities) },
        ...over,
      };
      const exchange = new WaitingExchange();
      return { exchange, running: calls.start(call, exchange) };
    },
    later: (ms) => void vi.advanceTimersByTime(ms),
  };
}

const OFFER = offerOf({
  about: aboutOf({ resources: {} }),
  tools: [defineTool({ name: 'x' })],
  prompts: [definePrompt('p')],
  resources: [defineResource('a:b')],
});

/** The same request with an answer to the question of its first round. */
function answered(first: WaitingExchange, answer: string | undefined, json = PARAMS): string {
  const { requestState, inputRequests } = first.result;
  expect(Object.keys(inputRequests as object)).toEqual(['approval']);
  const responses = answer === undefined ? '{}' : `{"approval":{"action":"${answer}"}}`;
  return `${json.slice(0, -1)},"requestState":${JSON.stringify(requestState)},"inputResponses":${responses}}`;
}

describe.each(ERAS)('a call of a %s caller that needs approval', (era) => {
  it('is not sent and holds no slot until the person allows it', () => {
    verifies('004-17-approval');
    const { approvals, source, start, notified, records } = bench();
    const { exchange } = start(era);
    expect(source.asked).toEqual([]);
    expect(exchange.waited).toEqual(['pause']);
    expect(notified).toMatchObject([
      { id: 'id-1', caller: 'laptop', server: 's', tool: 'x', arguments: '{"n":1}' },
    ]);
    approvals.decide('id-1', 'allowed');
    expect(exchange.waited).toEqual(['pause', 'goOn']);
    expect(source.asked).toHaveLength(1);
    source.last.answer(OK, era);
    expect(exchange.kinds).toEqual(['ok']);
    expect(records.map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(approvals.list()).toEqual([]);
  });

  it('is stored as used before the source gets it', () => {
    const { approvals, source, store, start } = bench();
    start(era);
    const written: string[][] = [];
    source.onRequest = () => void written.push([...store.written]);
    approvals.decide('id-1', 'allowed');
    expect(written).toEqual([['open id-1', 'allowed id-1', 'used id-1']]);
  });

  it('ends after the wait, names the command that allows it, and runs once when it is sent again', () => {
    const { approvals, source, start, later } = bench();
    const first = start(era).exchange;
    later(WAIT_MS - 1);
    expect(first.kinds).toEqual([]);
    later(1);
    expect(first.kinds).toEqual(['not_executed']);
    expect(first.reason).toMatchObject({
      code: 'APPROVAL_PENDING',
      message: expect.stringContaining('`pincer approvals allow id-1`'),
      hint: expect.stringContaining('10 min'),
      data: { approval: 'id-1' },
    });
    approvals.decide('id-1', 'allowed');
    expect(source.asked).toEqual([]);
    start(era);
    expect(source.asked).toHaveLength(1);
    source.last.answer(OK, era);
    const third = start(era).exchange;
    expect(source.asked).toHaveLength(1);
    expect(approvals.list()).toMatchObject([{ id: 'id-2', state: 'open' }]);
    expect(third.kinds).toEqual([]);
  });

  it('runs under an old approval only with the same arguments, and only until it expires', () => {
    const { approvals, source, start, later } = bench();
    start(era);
    later(WAIT_MS);
    approvals.decide('id-1', 'allowed');
    start(era, { json: '{"name":"s__x","arguments":{"n":2}}' });
    start(era, { json: '{"name":"s__x","arguments":{"n":1,"n":2}}' });
    start(era, { caller: { id: 'other', name: 'laptop', scopes: {} } });
    expect(source.asked).toEqual([]);
    later(TTL_MS);
    start(era);
    expect(source.asked).toEqual([]);
  });

  it('is denied by the person, now and for a while', () => {
    const { approvals, source, start, later } = bench();
    const { exchange } = start(era);
    approvals.decide('id-1', 'denied');
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason.code).toBe('APPROVAL_DENIED');
    expect(start(era).exchange.reason.code).toBe('APPROVAL_DENIED');
    later(TTL_MS);
    expect(start(era).exchange.kinds).toEqual([]);
    expect(source.asked).toEqual([]);
  });

  it('can be cancelled while it waits: nothing runs, and the question is withdrawn', () => {
    const { approvals, source, start } = bench();
    const { exchange, running } = start(era);
    running.cancel('the client went away');
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason.code).toBe('CALL_CANCELLED');
    expect(approvals.list()).toEqual([]);
    expect(source.asked).toEqual([]);
  });

  it('can be cancelled as usual once it runs', () => {
    const { approvals, source, start } = bench();
    const { exchange, running } = start(era);
    approvals.decide('id-1', 'allowed');
    running.cancel('the client went away');
    expect(source.last.cancelled).toEqual(['the client went away']);
    expect(exchange.kinds).toEqual(['outcome_unknown']);
  });

  it('runs once if two identical calls wait; the other keeps waiting', () => {
    const { approvals, source, start, later } = bench();
    const [first, second] = [start(era).exchange, start(era).exchange];
    approvals.decide('id-1', 'allowed');
    expect(source.asked).toHaveLength(1);
    later(WAIT_MS);
    expect(first.kinds).toEqual([]);
    expect(second.reason.message).toContain('id-2');
  });

  it('waits no longer than its caller does', () => {
    const { start, later } = bench();
    const { exchange } = start(era, { timeoutMs: 20_000 });
    later(15_000 - 1);
    expect(exchange.kinds).toEqual([]);
    later(1);
    expect(exchange.reason.code).toBe('APPROVAL_PENDING');
    const hasty = start(era, { timeoutMs: 1_000 }).exchange;
    later(0);
    expect(hasty.reason.code).toBe('APPROVAL_PENDING');
  });

  it('does not run if its credential was revoked meanwhile', () => {
    const { approvals, source, start } = bench();
    const { exchange } = start(era);
    exchange.mayGoOn = false;
    approvals.decide('id-1', 'allowed');
    expect(exchange.reason.code).toBe('TOKEN_INVALID');
    expect(source.asked).toEqual([]);
    expect(approvals.list()).toEqual([]);
  });

  it('does not run if its tool changed, was removed or was denied meanwhile', () => {
    const { approvals, catalog, source, start, rules } = bench();
    const changed = start(era).exchange;
    catalog.put(
      's',
      offerOf({ tools: [defineTool({ name: 'x', description: 'and sends a copy elsewhere' })] }),
    );
    approvals.decide('id-1', 'allowed');
    expect(changed.reason.code).toBe('TOOL_WITHDRAWN');
    const gone = start(era).exchange;
    catalog.put('s', offerOf({ tools: [] }));
    approvals.decide('id-2', 'allowed');
    expect(gone.reason.code).toBe('TOOL_UNKNOWN');
    catalog.put('s', OFFER);
    const denied = start(era).exchange;
    rules.now = { default: 'deny' };
    approvals.decide('id-3', 'allowed');
    expect(denied.reason.code).toBe('POLICY_DENIED');
    expect(source.asked).toEqual([]);
  });

  it('may be repeated under the same approval if the server certainly did not run it', () => {
    const { approvals, source, start } = bench();
    start(era);
    approvals.decide('id-1', 'allowed');
    source.last.settle(notExecuted(new PincerError('SERVER_UNREACHABLE', 'x')));
    start(era);
    expect(source.asked).toHaveLength(2);
    source.last.settle(outcomeUnknown(new PincerError('SERVER_GONE', 'x')));
    expect(start(era).exchange.kinds).toEqual([]);
    expect(source.asked).toHaveLength(2);
  });

  it('does not run if the use of the approval cannot be stored', () => {
    const { approvals, source, store, start } = bench();
    const { exchange } = start(era);
    store.fails = ({ state }) => state === 'used';
    approvals.decide('id-1', 'allowed');
    expect(exchange.kinds).toEqual(['not_executed']);
    expect(exchange.reason.message).toContain('disk is full');
    store.fails = () => true;
    expect(start(era, { json: '{"name":"s__x"}' }).exchange.kinds).toEqual(['not_executed']);
    expect(source.asked).toEqual([]);
  });

  it('has an unknown outcome if the source fails after the approval', () => {
    const { approvals, source, start } = bench();
    const { exchange } = start(era);
    source.throws = new Error('x');
    approvals.decide('id-1', 'allowed');
    expect(exchange.kinds).toEqual(['outcome_unknown']);
    expect(start(era).exchange.kinds).toEqual([]);
  });

  it('raises no question if its server is not there', () => {
    const { approvals, known, start } = bench();
    known.source = undefined;
    expect(start(era).exchange.reason.code).toBe('TOOL_UNKNOWN');
    expect(approvals.list()).toEqual([]);
  });

  it('ends with the hub, and the question stays', () => {
    const { approvals, start } = bench();
    const { exchange } = start(era);
    approvals.stop();
    expect(exchange.reason.code).toBe('APPROVAL_PENDING');
    expect(approvals.list()).toHaveLength(1);
  });
});

describe('a request other than tools/call', () => {
  it.each([
    ['prompts/get', '{"name":"s__p"}', 'prompts/get p'],
    ['resources/read', '{"uri":"a:b"}', 'resources/read a:b'],
    ['resources/subscribe', '{"uri":"a:b"}', 'resources/subscribe a:b'],
  ])('needs approval: %s', (method, json, tool) => {
    const { approvals, source, start } = bench();
    start('legacy', { method, json });
    expect(approvals.list()).toMatchObject([{ tool, arguments: '{}' }]);
    approvals.decide('id-1', 'allowed');
    expect(source.last.request.method).toBe(method);
  });

  it('needs no approval after an approved one: a task, the end of a subscription', () => {
    const { approvals, source, start } = bench();
    const { exchange } = start('legacy');
    approvals.decide('id-1', 'allowed');
    source.last.answer('{"task":{"taskId":"t-1"}}');
    const id = /"taskId":"(\w+)"/.exec(JSON.stringify(exchange.result))![1];
    start('legacy', { method: 'tasks/get', json: `{"taskId":"${id}"}` });
    expect(source.last.request.method).toBe('tasks/get');
    start('legacy', { method: 'resources/unsubscribe', json: '{"uri":"a:b"}' });
    expect(source.last.request.method).toBe('resources/unsubscribe');
  });

  it('is denied if it is a completion, which is not worth a question', () => {
    const json = '{"ref":{"type":"ref/prompt","name":"s__p"},"argument":{"name":"a","value":"b"}}';
    const { exchange } = bench().start('legacy', { method: 'completion/complete', json });
    expect(exchange.reason.code).toBe('POLICY_DENIED');
  });
});

describe('a legacy client that may approve', () => {
  const able = { approve: true, capabilities: ABLE };

  it('is asked beside the person, and the first answer wins', () => {
    const { source, start, approvals } = bench();
    const yes = start('legacy', able).exchange;
    expect(yes.questions.map(({ method }) => method)).toEqual(['elicitation/create']);
    expect(yes.question.message).toContain('Arguments: {"n":1}');
    yes.questions[0]!.answer({ result: '{"action":"accept","content":{}}' });
    expect(source.asked).toHaveLength(1);
    expect(yes.waited).toEqual(['pause', 'goOn']);
    const elsewhere = start('legacy', able).exchange;
    approvals.decide('id-2', 'allowed');
    expect(source.asked).toHaveLength(2);
    expect(elsewhere.withdrawn).toEqual(['it has been decided']);
    elsewhere.questions[0]!.answer({ result: '{"action":"decline"}' });
    expect(elsewhere.kinds).toEqual([]);
  });

  it('denies by declining', () => {
    const { source, start } = bench();
    const { exchange } = start('legacy', able);
    exchange.questions[0]!.answer({ result: '{"action":"decline"}' });
    expect(exchange.reason.code).toBe('APPROVAL_DENIED');
    expect(start('legacy', able).exchange.reason.code).toBe('APPROVAL_DENIED');
    expect(source.asked).toEqual([]);
  });

  it.each(['{"result":{"action":"cancel"}}', '{"error":{"code":-1,"message":"x"}}', '{"result":[]}'])(
    'leaves the decision to the person otherwise: %s',
    (json) => {
      const { source, start, approvals } = bench();
      const { exchange } = start('legacy', able);
      const answer = JSON.parse(json) as { result?: object; error?: object };
      exchange.questions[0]!.answer(
        answer.result === undefined
          ? { error: JSON.stringify(answer.error) }
          : { result: JSON.stringify(answer.result) },
      );
      expect(exchange.kinds).toEqual([]);
      approvals.decide('id-1', 'allowed');
      expect(source.asked).toHaveLength(1);
    },
  );

  it('is no longer asked after the call ended', () => {
    const { start, later } = bench();
    const timed = start('legacy', able).exchange;
    later(WAIT_MS);
    expect(timed.withdrawn).toEqual(['no answer in time']);
    const { exchange, running } = start('legacy', able);
    running.cancel('gone');
    expect(exchange.withdrawn).toEqual(['gone']);
  });

  it('may answer at once', () => {
    const { source, start } = bench();
    const ask = vi.spyOn(WaitingExchange.prototype, 'ask').mockImplementation((question) => {
      question.answer({ result: '{"action":"accept"}' });
      return { withdraw: () => expect.unreachable('it has been answered') };
    });
    start('legacy', able);
    ask.mockRestore();
    expect(source.asked).toHaveLength(1);
  });
});

describe('a modern client that may approve', () => {
  const able = { approve: true, capabilities: ABLE };

  it('is asked in a result, and the call runs when it returns with a yes', () => {
    const { source, start, store, records } = bench();
    const first = start('modern', able).exchange;
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        approval: {
          method: 'elicitation/create',
          params: {
            message: expect.stringContaining('Arguments: {"n":1}'),
            requestedSchema: { type: 'object' },
          },
        },
      },
    });
    expect(first.waited).toEqual([]);
    expect(source.asked).toEqual([]);
    const second = start('modern', { ...able, json: answered(first, 'accept') }).exchange;
    expect(source.asked.map(({ params }) => params)).toEqual(['{"name":"x","arguments":{"n":1}}']);
    source.last.answer(OK, 'modern');
    expect(second.kinds).toEqual(['ok']);
    expect(store.written).toEqual(['open id-1', 'allowed id-1', 'used id-1', 'deleted id-1']);
    expect(records.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['not_executed', 'APPROVAL_PENDING'],
      ['ok', undefined],
    ]);
  });

  it('approves once: the same answer does not run the call again', () => {
    const { source, start } = bench();
    const first = start('modern', able).exchange;
    const json = answered(first, 'accept');
    start('modern', { ...able, json });
    start('modern', { ...able, json });
    expect(source.asked).toHaveLength(1);
  });

  it('approves only the call that it was asked about', () => {
    const { source, start } = bench();
    const first = start('modern', able).exchange;
    const other = answered(first, 'accept', '{"name":"s__x","arguments":{"n":2}}');
    expect(start('modern', { ...able, json: other }).exchange.reason.code).toBe('STATE_INVALID');
    const stranger = { id: 'other', name: 'laptop', scopes: { approve: true } };
    const stolen = { ...able, caller: stranger, json: answered(first, 'accept') };
    expect(start('modern', stolen).exchange.reason.code).toBe('STATE_INVALID');
    expect(source.asked).toEqual([]);
  });

  it('denies by declining, even if the person allowed the call elsewhere meanwhile', () => {
    const { approvals, source, start } = bench();
    const first = start('modern', able).exchange;
    approvals.decide('id-1', 'allowed');
    const second = start('modern', { ...able, json: answered(first, 'decline') }).exchange;
    expect(second.reason.code).toBe('APPROVAL_DENIED');
    expect(start('modern', able).exchange.reason.code).toBe('APPROVAL_DENIED');
    expect(source.asked).toEqual([]);
  });

  it.each(['cancel', undefined])('leaves the decision to the person on: %s', (action) => {
    const { approvals, source, start } = bench();
    const first = start('modern', able).exchange;
    const second = start('modern', { ...able, json: answered(first, action) }).exchange;
    expect(second.kinds).toEqual([]);
    approvals.decide('id-1', 'allowed');
    expect(source.asked).toHaveLength(1);
  });

  it('returns to a call that was allowed elsewhere', () => {
    const { approvals, source, start } = bench();
    const first = start('modern', able).exchange;
    approvals.decide('id-1', 'allowed');
    start('modern', { ...able, json: answered(first, 'cancel') });
    expect(source.asked).toHaveLength(1);
  });

  it('gets the decision of a policy that changed meanwhile', () => {
    const { rules, source, start } = bench();
    const first = start('modern', able).exchange;
    rules.now = { default: 'deny' };
    expect(start('modern', { ...able, json: answered(first, 'accept') }).exchange.reason.code).toBe(
      'POLICY_DENIED',
    );
    rules.now = { default: 'allow' };
    start('modern', { ...able, json: answered(first, 'cancel') });
    expect(source.last.params).toBe('{"name":"x","arguments":{"n":1}}');
  });
});

describe('a client is not asked', () => {
  it.each([
    ['its credential does not allow it', { capabilities: ABLE }],
    ['its credential forbids it', { approve: false, capabilities: ABLE }],
    ['it has no elicitation', { approve: true }],
    ['it takes no forms', { approve: true, capabilities: '{"elicitation":{"url":{}}}' }],
  ])('if %s', (_why, over) => {
    for (const era of ERAS) {
      const { start } = bench();
      const { exchange } = start(era, over);
      expect(exchange.questions).toEqual([]);
      expect(exchange.kinds).toEqual([]);
    }
  });

  it('if the hub has no approvals: the call is denied', () => {
    const source = new HandSource();
    const { catalog } = bench();
    const calls = createCalls({
      catalog,
      policy: () => createPolicy({ default: 'ask' }),
      source: () => source,
      observers: [],
      whenKnown: () => undefined,
      clock: { now: () => 0, elapsed: () => 0 },
      tasks: createTaskBook(),
      parking: createParking({ maxParkedCalls: 8, questionTimeoutMs: 1 }),
      states: createRequestStates({
        sealer: createSealer(),
        digest: sha256,
        clock: { now: () => 0, elapsed: () => 0 },
        ttlMs: 1,
      }),
      questionTimeoutMs: 1,
    });
    const exchange = new HandExchange();
    calls.start(
      {
        caller: { id: 'c', name: 'c', scopes: { approve: true } },
        surface: 'http',
        view: undefined,
        method: 'tools/call',
        params: readMembers(PARAMS),
        meta: [],
        era: 'legacy',
        client: STRANGER,
      },
      exchange,
    );
    expect(exchange.reason).toMatchObject({
      code: 'POLICY_DENIED',
      message: expect.stringContaining('no person can be asked here'),
    });
    expect(source.asked).toEqual([]);
  });
});

describe('a server that is replaced under its old name', () => {
  it('does not get a waiting call that was approved for the old one', () => {
    const { approvals, source, start, origin } = bench();
    const { exchange } = start('legacy');
    origin.now = 'o-2';
    approvals.decide('id-1', 'allowed');
    expect(source.asked).toEqual([]);
    expect(exchange.reason).toMatchObject({ code: 'TOOL_WITHDRAWN' });
    expect(approvals.list()).toEqual([]);
  });

  it('does not get a repeated call that was approved for the old one', () => {
    const { approvals, source, start, origin, later } = bench();
    start('legacy');
    later(WAIT_MS);
    approvals.decide('id-1', 'allowed');
    origin.now = 'o-2';
    start('legacy');
    expect(source.asked).toEqual([]);
    origin.now = 'o-1';
    start('legacy');
    expect(source.asked).toHaveLength(1);
  });
});

describe('_meta that a person is not shown', () => {
  const META =
    '{"acme/account":"mine","progressToken":7,"traceparent":"00-1-2-01","baggage":"a=b","callId":"c"}';
  const withMeta = (meta: string) => ({
    json: `${PARAMS.slice(0, -1)},"_meta":${meta}}`,
    meta: readMembers(meta),
  });

  it.each<Era>(['legacy', 'modern'])('does not reach the server: %s era', (era) => {
    const { approvals, source, start } = bench();
    start(era, withMeta(META));
    approvals.decide('id-1', 'allowed');
    const { request, params } = source.last;
    expect(request.meta.map(({ key }) => key)).toEqual(['progressToken', 'traceparent']);
    expect(params).toContain('"_meta":{"progressToken":7,"traceparent":"00-1-2-01"}');
    start(era, withMeta('{"acme/account":"other"}'));
    approvals.decide('id-2', 'allowed');
    expect(source.last.params).not.toContain('_meta');
  });

  it('does not reach the server in a later round', () => {
    const { approvals, source, start } = bench();
    const { exchange } = start('legacy', { ...withMeta(META), capabilities: ABLE });
    approvals.decide('id-1', 'allowed');
    source.last.answer(
      '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"}}}',
      'modern',
    );
    exchange.questions[0]!.answer({ result: '{"action":"accept"}' });
    expect(source.asked).toHaveLength(2);
    expect(source.last.request.meta.map(({ key }) => key)).toEqual(['progressToken', 'traceparent']);
    expect(source.last.params).not.toContain('acme/account');
  });

  it('does not turn a repeated call into another one', () => {
    const { approvals, source, start, later } = bench();
    start('legacy', withMeta('{"callId":"1"}'));
    later(WAIT_MS);
    approvals.decide('id-1', 'allowed');
    start('legacy', withMeta('{"callId":"2"}'));
    expect(source.asked).toHaveLength(1);
  });

  it('is sent if no approval is needed', () => {
    const { source, start } = bench({ default: 'allow' });
    start('legacy', withMeta(META));
    expect(source.last.request.meta).toHaveLength(5);
    expect(source.last.params).toContain(META);
  });
});

describe('a server that asks the client a question', () => {
  const MISSING =
    '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?"}}},"requestState":"s-1"}';
  const nextRound = (exchange: WaitingExchange): string =>
    `${PARAMS.slice(0, -1)},"requestState":${JSON.stringify(exchange.result['requestState'])},"inputResponses":{"a":{"action":"accept"}}}`;

  it('needs one approval for all rounds of a call (both modern)', () => {
    const { approvals, source, start } = bench();
    const first = start('modern', { capabilities: ABLE }).exchange;
    approvals.decide('id-1', 'allowed');
    source.last.answer(MISSING, 'modern');
    const second = start('modern', { capabilities: ABLE, json: nextRound(first) }).exchange;
    expect(source.asked).toHaveLength(2);
    expect(source.last.params).toContain('"requestState":"s-1"');
    source.last.answer(OK, 'modern');
    expect(second.kinds).toEqual(['ok']);
    // A replayed state runs nothing: its answers need a new approval.
    start('modern', { capabilities: ABLE, json: nextRound(first) });
    expect(source.asked).toHaveLength(2);
    expect(approvals.list()).toMatchObject([
      { state: 'open', arguments: '{"arguments":{"n":1},"inputResponses":{"a":{"action":"accept"}}}' },
    ]);
    approvals.decide(approvals.list()[0]!.id, 'allowed');
    expect(source.asked).toHaveLength(3);
  });

  it('cannot get unasked answers of a modern client without approval of exactly these answers', () => {
    const { approvals, source, start, later } = bench();
    const withAnswer = (n: number): string =>
      `${PARAMS.slice(0, -1)},"inputResponses":{"a":{"action":"accept","content":{"n":${n}}}}}`;
    start('modern', { json: withAnswer(1) });
    expect(approvals.list()).toMatchObject([
      {
        arguments: '{"arguments":{"n":1},"inputResponses":{"a":{"action":"accept","content":{"n":1}}}}',
      },
    ]);
    later(WAIT_MS);
    approvals.decide('id-1', 'allowed');
    start('modern');
    start('modern', { json: withAnswer(2) });
    expect(source.asked).toEqual([]);
    start('modern', { json: withAnswer(1) });
    expect(source.asked).toHaveLength(1);
    expect(source.last.params).toContain('"content":{"n":1}');
  });

  it('keeps its rounds apart from the approval round (modern, client may approve)', () => {
    const { source, start, later } = bench();
    const able = { approve: true, capabilities: ABLE };
    const asked = start('modern', able).exchange;
    const first = start('modern', { ...able, json: answered(asked, 'accept') }).exchange;
    source.last.answer(MISSING, 'modern');
    later(TTL_MS - 1);
    const inTime = start('modern', { ...able, json: nextRound(first) }).exchange;
    expect(source.asked).toHaveLength(2);
    expect(inTime.kinds).toEqual([]);
  });

  it('resumes the waiting call without another approval (legacy server, modern client)', () => {
    const { approvals, source, start, later } = bench();
    const first = start('modern', { capabilities: ABLE }).exchange;
    approvals.decide('id-1', 'allowed');
    const answers = source.last.ask('elicitation/create', '{"message":"?"}');
    later(15);
    const json = `${PARAMS.slice(0, -1)},"requestState":${JSON.stringify(first.result['requestState'])},"inputResponses":{"elicitation_1":{"action":"accept"}}}`;
    const second = start('modern', { capabilities: ABLE, json }).exchange;
    expect(answers).toHaveLength(1);
    source.last.answer('{"content":[]}');
    expect(second.kinds).toEqual(['ok']);
    expect(source.asked).toHaveLength(1);
    // It ran, so the next call needs its own approval.
    expect(start('modern').exchange.kinds).toEqual([]);
    expect(source.asked).toHaveLength(1);
  });

  it('has all rounds in one call (modern server, legacy client)', () => {
    const { approvals, source, start } = bench();
    const { exchange } = start('legacy', { capabilities: ABLE });
    approvals.decide('id-1', 'allowed');
    source.last.answer(MISSING, 'modern');
    exchange.questions[0]!.answer({ result: '{"action":"accept"}' });
    expect(source.asked).toHaveLength(2);
    source.last.answer(OK, 'modern');
    expect(exchange.kinds).toEqual(['ok']);
    start('legacy', { capabilities: ABLE });
    expect(source.asked).toHaveLength(2);
  });

  it('has not run the call if it first sends the person to a page', () => {
    const { approvals, source, start } = bench();
    start('legacy');
    approvals.decide('id-1', 'allowed');
    source.last.fail(
      '{"code":-32042,"message":"x","data":{"elicitations":[{"mode":"url","url":"https://x.example","message":"?","elicitationId":"e"}]}}',
    );
    start('legacy');
    expect(source.asked).toHaveLength(2);
    source.last.fail('{"code":-32000,"message":"x"}');
    start('legacy');
    expect(source.asked).toHaveLength(2);
  });
});
