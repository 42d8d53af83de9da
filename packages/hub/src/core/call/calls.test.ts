import { describe, expect, it } from 'vitest';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { verifies } from '../../../../../test/verifies.ts';
import type { Caller } from '../caller.ts';
import { createParking } from '../eras/parking.ts';
import { createRequestStates } from '../eras/request-state.ts';
import { createCalls, type Call, type Calls, type CallsParts } from './calls.ts';
import { createCatalog, type Catalog } from '../catalog/catalog.ts';
import { STRANGER, type Client } from '../client.ts';
import { PincerError } from '../errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../outcome.ts';
import { createPolicy, type PolicyRules } from '../policy.ts';
import type { CallRecord } from '../ports.ts';
import type { Exchange, Running, Source, SourceRequest } from '../request.ts';
import { BadParamsError } from './route.ts';
import { createTaskBook } from './task-ids.ts';
import type { ToolDefinition } from '../catalog/tool-definition.ts';
import { readMembers } from '../wire/members.ts';

const DIGEST = (text: string): string => Buffer.from(text).toString('hex').padEnd(32, '0');
const define = (name: string, readOnlyHint = false): ToolDefinition =>
  defineTool({ name, annotations: { readOnlyHint } });
const put = (catalog: Catalog, server: string, ...tools: ToolDefinition[]): boolean =>
  catalog.put(server, offerOf({ tools }));
const OK: Outcome = { kind: 'ok', result: '{}', era: 'legacy', extra: '' };

/** A source that keeps its requests, for the test to answer. */
class HandSource implements Source {
  readonly name: string;
  readonly asked: { request: SourceRequest; exchange: Exchange; cancelled: string[] }[] = [];
  constructor(name: string) {
    this.name = name;
  }
  request(request: SourceRequest, exchange: Exchange): Running {
    const entry = { request, exchange, cancelled: [] as string[] };
    this.asked.push(entry);
    return { cancel: (reason) => entry.cancelled.push(reason) };
  }
  async watch(): Promise<void> {}
  tell(): void {}
  forget(): void {}
}

const STATES = createRequestStates({
  sealer: { seal: (text) => `sealed ${text}`, open: (text) => text.slice('sealed '.length) },
  digest: (text) => text,
  clock: { now: () => 0, elapsed: () => 0 },
  ttlMs: 1_000,
});

/** The parts of Calls besides a catalog, sources and a clock. */
const REST: Pick<
  CallsParts,
  'observers' | 'whenKnown' | 'tasks' | 'parking' | 'states' | 'questionTimeoutMs'
> = {
  observers: [],
  whenKnown: () => undefined,
  tasks: createTaskBook(),
  parking: createParking({ maxParkedCalls: 8, questionTimeoutMs: 1_000 }),
  states: STATES,
  questionTimeoutMs: 1_000,
};

const CALLER: Caller = { id: 'id-1', name: 'laptop', scopes: {} };

/** Parts of a call; `name` is the tool's name in the view. */
type Over = Partial<Call> & { readonly name?: string };

const callOf = ({ name = 'tavily__search', ...over }: Over = {}): Call => ({
  caller: CALLER,
  surface: 'http',
  view: undefined,
  method: 'tools/call',
  params: [{ key: 'name', raw: JSON.stringify(name) }],
  meta: [],
  era: 'legacy',
  client: STRANGER,
  ...over,
});

interface Bench {
  readonly calls: Calls;
  readonly source: HandSource;
  readonly records: CallRecord[];
  readonly settled: Outcome[];
  readonly notified: string[];
  readonly time: { now: number };
  start(over?: Over): Running;
}

function bench(rules: PolicyRules = {}, sources?: Record<string, Source>): Bench {
  const source = new HandSource('tavily');
  const records: CallRecord[] = [];
  const settled: Outcome[] = [];
  const notified: string[] = [];
  const time = { now: 1_000 };
  const catalog = createCatalog(DIGEST);
  catalog.configure([
    { name: 'tavily', prefix: 'tavily' },
    { name: 'gone', prefix: 'gone' },
  ]);
  put(catalog, 'tavily', define('search'), define('extract', true));
  put(catalog, 'gone', define('search'));
  const known: Record<string, Source> = sources ?? { tavily: source };
  const calls = createCalls({
    ...REST,
    catalog,
    policy: () => createPolicy(rules),
    source: (server) => known[server],
    observers: [{ callEnded: (record) => void records.push(record) }],
    clock: { now: () => time.now + 1_000_000, elapsed: () => time.now },
  });
  const start = (over: Over = {}): Running =>
    calls.start(callOf(over), {
      settle: (outcome) => void settled.push(outcome),
      notify: (method, params) => void notified.push(`${method} ${params}`),
      ask: () => expect.unreachable('nothing is asked'),
      pause: () => expect.unreachable('no approval is needed'),
      goOn: () => expect.unreachable('nothing has waited'),
    });
  return { calls, source, records, settled, notified, time, start };
}

describe('a call', () => {
  it('reaches the source that owns the tool, under the tool’s own name, otherwise unchanged', () => {
    verifies('004-11.2-route');
    const { source, start } = bench();
    const params = readMembers('{"name":"tavily__search","arguments":{"n":99999999999999999999},"x":1.0}');
    const meta = readMembers('{"progressToken":7}');
    const client: Client = { ...STRANGER, session: 's-1' };
    start({ params, meta, client });
    expect(source.asked.map(({ request }) => request)).toEqual([
      {
        method: 'tools/call',
        name: 'search',
        params: readMembers('{"name":"search","arguments":{"n":99999999999999999999},"x":1.0}'),
        meta,
        era: 'legacy',
        caller: CALLER,
        client,
        tasks: expect.anything() as SourceRequest['tasks'],
        headers: undefined,
        isRepeatable: false,
        recheck: expect.any(Function) as () => undefined,
      },
    ]);
    start({ params, meta, client, era: 'modern' });
    const recheck = expect.any(Function) as () => undefined;
    const tasks = expect.anything() as SourceRequest['tasks'];
    expect(source.asked[1]!.request).toEqual({ ...source.asked[0]!.request, recheck, tasks, era: 'modern' });
  });

  it('uses the bare name in the view of one server, without edits', () => {
    const { source, start } = bench();
    const params = readMembers('{"name":"extract"}');
    start({ view: 'tavily', params });
    expect(source.asked[0]!.request.name).toBe('extract');
    expect(source.asked[0]!.request.params).toBe(params);
  });

  it('returns the outcome unchanged', () => {
    const { source, settled, start } = bench();
    start();
    source.asked[0]!.exchange.settle(OK);
    expect(settled).toEqual([OK]);
    expect(settled[0]).toBe(OK);
  });

  it('works with a source that answers before it returns', () => {
    const prompt = new HandSource('tavily');
    prompt.request = (_request: SourceRequest, exchange: Exchange) => {
      exchange.notify('notifications/progress', '{}');
      exchange.settle(OK);
      return { cancel: () => expect.unreachable('it has ended') };
    };
    const { calls, settled, notified, records, start } = bench({}, { tavily: prompt });
    const running = start();
    running.cancel('too late');
    expect(settled).toEqual([OK]);
    expect(notified).toHaveLength(1);
    expect(records).toHaveLength(1);
    expect(calls.inFlight).toBe(0);
  });
});

describe('a call ends once', () => {
  it('with the first outcome; later messages are dropped', () => {
    const { source, settled, notified, records, start } = bench();
    start();
    const { exchange } = source.asked[0]!;
    exchange.notify('notifications/progress', '{"progress":1}');
    exchange.settle(OK);
    exchange.settle(outcomeUnknown(new PincerError('SERVER_GONE', 'Gone.')));
    exchange.notify('notifications/progress', '{"progress":2}');
    exchange.settle(OK);
    expect(settled).toEqual([OK]);
    expect(notified).toEqual(['notifications/progress {"progress":1}']);
    expect(records).toHaveLength(1);
  });

  it('and is counted while it runs', () => {
    const { calls, source, start } = bench();
    start();
    start();
    expect(calls.inFlight).toBe(2);
    source.asked[0]!.exchange.settle(OK);
    source.asked[0]!.exchange.settle(OK);
    expect(calls.inFlight).toBe(1);
    source.asked[1]!.exchange.settle(OK);
    expect(calls.inFlight).toBe(0);
  });
});

describe('cancelling', () => {
  it('reaches the source, with the reason', () => {
    const { source, start } = bench();
    start();
    start().cancel('the client went away');
    expect(source.asked.map(({ cancelled }) => cancelled)).toEqual([[], ['the client went away']]);
  });

  it('does not end the call: the source reports how it ended', () => {
    const { calls, source, settled, start } = bench();
    const running = start();
    running.cancel('x');
    expect(settled).toEqual([]);
    expect(calls.inFlight).toBe(1);
    const outcome = outcomeUnknown(new PincerError('CALL_CANCELLED', 'Cancelled.'));
    source.asked[0]!.exchange.settle(outcome);
    expect(settled).toEqual([outcome]);
  });

  it('does nothing after the end', () => {
    const { source, start } = bench();
    const running = start();
    source.asked[0]!.exchange.settle(OK);
    running.cancel('late');
    expect(source.asked[0]!.cancelled).toEqual([]);
  });
});

describe('a call that is not run', () => {
  const refusedWith = (outcome: Outcome | undefined): PincerError => {
    expect(outcome?.kind).toBe('not_executed');
    return (outcome as { reason: PincerError }).reason;
  };

  it.each<[string, Over]>([
    ['no server offers it', { name: 'tavily__nothing' }],
    ['it is a bare name in the view of all servers', { name: 'search' }],
    ['it is a joined name in the view of one server', { view: 'tavily', name: 'tavily__search' }],
    ['no such server', { view: 'unknown', name: 'search' }],
    ['the server is out of scope', { caller: { ...CALLER, scopes: { servers: ['github'] } } }],
    ['the tool is out of scope', { caller: { ...CALLER, scopes: { tools: ['tavily.extract'] } } }],
    ['it writes and the caller only reads', { caller: { ...CALLER, scopes: { readOnly: true } } }],
    ['the server has no source', { name: 'gone__search' }],
    ['it is an inherited property', { name: '__proto__' }],
    ['it is an inherited property, in a view', { view: 'tavily', name: 'constructor' }],
  ])('is for an unknown tool because %s', (_why, over) => {
    const { calls, source, settled, start } = bench();
    const running = start(over);
    running.cancel('x');
    expect(source.asked).toEqual([]);
    expect(settled).toHaveLength(1);
    const reason = refusedWith(settled[0]);
    expect(reason.code).toBe('TOOL_UNKNOWN');
    expect(reason.message).toBe(`Unknown tool: ${over.name ?? 'tavily__search'}`);
    expect(calls.inFlight).toBe(0);
  });

  it.each([
    ['{}', '"params.name" must be a string.'],
    ['{"name":7}', '"params.name" must be a string.'],
    ['{"name":"tavily__search","arguments":[]}', '"params.arguments" must be an object.'],
    ['{"name":"unknown","arguments":1}', '"params.arguments" must be an object.'],
  ])('is refused and not recorded if it is malformed: %s', (params, message) => {
    const { calls, source, settled, records, start } = bench();
    expect(() => start({ params: readMembers(params) })).toThrow(new BadParamsError(message));
    expect([calls.inFlight, source.asked, settled, records]).toEqual([0, [], [], []]);
  });

  it('cannot be told apart if forbidden or unknown', () => {
    const { settled, start } = bench();
    start({ caller: { ...CALLER, scopes: { servers: [] } } });
    start({ name: 'tavily__nothing' });
    const [hidden, absent] = settled.map((outcome) => refusedWith(outcome));
    expect([hidden!.code, hidden!.hint, hidden!.data]).toEqual([absent!.code, absent!.hint, absent!.data]);
    expect(hidden!.message.replace('tavily__search', 'tavily__nothing')).toBe(absent!.message);
  });

  it.each<[PolicyRules, RegExp]>([
    [{ default: 'deny' }, /^Policy denies tavily\.search\. It was not run\.$/],
    [{ servers: { tavily: { search: 'deny' } } }, /^Policy denies tavily\.search\./],
    [
      { servers: { tavily: { '*': 'ask' } } },
      /^tavily\.search needs an approval, and no person can be asked here\./,
    ],
  ])('is not allowed by policy: %j', (rules, message) => {
    const { calls, source, settled, records, start } = bench(rules);
    start();
    expect(source.asked).toEqual([]);
    const reason = refusedWith(settled[0]);
    expect(reason.code).toBe('POLICY_DENIED');
    expect(reason.message).toMatch(message);
    expect(reason.hint).toContain('tavily.search');
    expect(records).toMatchObject([{ outcome: 'not_executed', code: 'POLICY_DENIED', tool: 'search' }]);
    expect(calls.inFlight).toBe(0);
  });

  it('is decided by the current policy each time', () => {
    const rules: { default: 'allow' | 'deny' } = { default: 'allow' };
    const { source, settled, start } = bench(rules);
    start();
    rules.default = 'deny';
    start();
    expect(source.asked).toHaveLength(1);
    expect(refusedWith(settled[0]).code).toBe('POLICY_DENIED');
  });
});

describe('the record of a call', () => {
  it('has the caller, server, tool, outcome and duration', () => {
    const { source, records, time, start } = bench();
    start();
    time.now += 250;
    source.asked[0]!.exchange.settle(OK);
    expect(records).toEqual([
      {
        at: 1_001_250,
        caller: 'laptop',
        surface: 'http',
        server: 'tavily',
        method: 'tools/call',
        tool: 'search',
        outcome: 'ok',
        code: undefined,
        durationMs: 250,
        meta: [],
        answerBytes: 2,
      },
    ]);
  });

  it.each<[Outcome, string | undefined]>([
    [{ kind: 'tool_error', result: '{"isError":true}', era: 'modern', extra: '' }, undefined],
    [{ kind: 'tool_error', error: '{"code":-1,"message":"x"}', extra: '' }, undefined],
    [notExecuted(new PincerError('SERVER_UNREACHABLE', 'x')), 'SERVER_UNREACHABLE'],
    [outcomeUnknown(new PincerError('CALL_TIMEOUT', 'x')), 'CALL_TIMEOUT'],
  ])('has the outcome %o', (outcome, code) => {
    const { source, records, start } = bench();
    start();
    source.asked[0]!.exchange.settle(outcome);
    expect(records).toMatchObject([{ outcome: outcome.kind, code }]);
  });

  it('is written before the caller gets the answer', () => {
    const order: string[] = [];
    const catalog = createCatalog(DIGEST);
    catalog.configure([{ name: 'tavily', prefix: 'tavily' }]);
    put(catalog, 'tavily', define('search'));
    const source = new HandSource('tavily');
    const calls = createCalls({
      ...REST,
      catalog,
      policy: () => createPolicy({}),
      source: () => source,
      observers: [
        { callEnded: () => void order.push('first') },
        { callEnded: () => void order.push('second') },
      ],
      clock: { now: () => 0, elapsed: () => 0 },
    });
    const exchange = new HandExchange();
    exchange.settle = () => void order.push('answer');
    calls.start(callOf(), exchange);
    source.asked[0]!.exchange.settle(OK);
    expect(order).toEqual(['first', 'second', 'answer']);
  });
});

describe('a call for a server that has not sent its lists', () => {
  interface Waiting {
    readonly source: HandSource;
    readonly settled: Outcome[];
    readonly asked: unknown[];
    readonly listed: PromiseWithResolvers<void>;
    readonly running: Running;
    /** The server's lists have arrived. */
    list(...names: string[]): void;
  }

  function wait(): Waiting {
    const catalog = createCatalog(DIGEST);
    catalog.configure([{ name: 'tavily', prefix: 'tavily' }]);
    const source = new HandSource('tavily');
    const listed = Promise.withResolvers<void>();
    const asked: unknown[] = [];
    const calls = createCalls({
      ...REST,
      catalog,
      policy: () => createPolicy({}),
      source: () => source,
      whenKnown: (view) => {
        asked.push(view);
        return listed.promise;
      },
      clock: { now: () => 0, elapsed: () => 0 },
    });
    const exchange = new HandExchange();
    const running = calls.start(callOf(), exchange);
    const list = (...names: string[]): boolean =>
      put(catalog, 'tavily', ...names.map((name) => define(name)));
    return { source, settled: exchange.outcomes, asked, listed, running, list };
  }

  it('waits for the lists, once', async () => {
    const { source, settled, asked, listed, running, list } = wait();
    expect([source.asked, settled, asked]).toEqual([[], [], [undefined]]);
    list('search');
    listed.resolve();
    await listed.promise;
    expect(source.asked).toHaveLength(1);
    running.cancel('enough');
    expect(source.asked[0]!.cancelled).toEqual(['enough']);
  });

  it('is for an unknown tool if the lists lack it or do not arrive in time', async () => {
    const { settled, asked, listed, list } = wait();
    list('other');
    listed.resolve();
    await listed.promise;
    expect(settled).toMatchObject([{ kind: 'not_executed', reason: { code: 'TOOL_UNKNOWN' } }]);
    expect(asked).toHaveLength(1);
  });

  it('is not executed if it is cancelled meanwhile', async () => {
    const { source, settled, listed, running, list } = wait();
    running.cancel('gone');
    running.cancel('again');
    list('search');
    listed.resolve();
    await listed.promise;
    expect(settled).toMatchObject([{ kind: 'not_executed', reason: { code: 'CALL_CANCELLED' } }]);
    expect(source.asked).toEqual([]);
  });
});
