/** Calls whose source prepares a plan first. */
import { describe, expect, it } from 'vitest';
import { ApprovalStore } from '../../../../../test/kit/approval-store.ts';
import { HandSource } from '../../../../../test/kit/fake-source.ts';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { createSealer } from '../../../../../test/kit/sealer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { createApprovals } from '../approvals/approvals.ts';
import { PLAN_CHANGED } from '../approvals/wait.ts';
import { createParking } from '../eras/parking.ts';
import { createRequestStates } from '../eras/request-state.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { readAbilities, STRANGER } from '../client.ts';
import { PincerError } from '../errors.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { notExecuted } from '../outcome.ts';
import { createPolicy, type Decision } from '../policy.ts';
import type { Era } from '../protocol.ts';
import type { Prepared, Running, Source } from '../request.ts';
import { jsonBytes, parseBytes } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';
import { askAhead } from './approval-ahead.ts';
import { createCalls } from './calls.ts';
import { createTaskBook } from './task-ids.ts';

const clock = { now: () => Date.now(), elapsed: () => performance.now() };
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Its plan is always `plan.now`. */
function bench(policy: Decision, bySource: Decision) {
  const plan = { now: '/bin/true' };
  const ran: string[] = [];
  const prepare = (): Promise<Prepared> => {
    const planned = plan.now;
    return Promise.resolve({
      decision: bySource,
      subject: [{ key: 'arguments', raw: jsonBytes({ path: planned }) }],
      begin(exchange): Running {
        if (plan.now !== planned) {
          exchange.settle(notExecuted(new PincerError('TOOL_ERROR', 'no', { data: { code: PLAN_CHANGED } })));
          return { cancel: () => undefined };
        }
        ran.push(planned);
        exchange.settle({ kind: 'ok', result: '{"content":[]}', era: 'legacy', extra: '' });
        return { cancel: () => undefined };
      },
    });
  };
  const source: Source & { prepare: NonNullable<Source['prepare']> } = Object.assign(new HandSource(), {
    prepare,
  });
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: 's', prefix: 's' }]);
  catalog.put('s', offerOf({ tools: [defineTool({ name: 'x' })] }));
  let ids = 0;
  const approvals = createApprovals({
    store: new ApprovalStore(),
    clock,
    digest: sha256,
    origin: () => 'o',
    newId: () => `id-${++ids}`,
    limits: DEFAULT_LIMITS,
    notify: () => undefined,
  });
  const parts = {
    catalog,
    approvals,
    policy: () => createPolicy({ default: policy }),
    source: () => source,
    tasks: createTaskBook(),
  };
  const calls = createCalls({
    ...parts,
    observers: [],
    whenKnown: () => undefined,
    clock,
    parking: createParking({ maxParkedCalls: 8, questionTimeoutMs: 600_000 }),
    states: createRequestStates({ sealer: createSealer(), digest: sha256, clock, ttlMs: 600_000 }),
    questionTimeoutMs: 600_000,
  });
  const addressed = (params: object) => ({
    caller: { id: 'c', name: 'laptop', scopes: { approve: true } },
    view: undefined,
    method: 'tools/call',
    params: readMembers(jsonBytes({ name: 's__x', arguments: { n: 1 }, ...params })),
  });
  return {
    plan,
    ran,
    approvals,
    source,
    askAhead: () => askAhead(parts, addressed({}), 256),
    start(era: Era = 'legacy', params: object = {}) {
      const exchange = new HandExchange();
      const running = calls.start(
        {
          ...addressed(params),
          surface: 'http',
          meta: [],
          era,
          client: { ...STRANGER, abilities: readAbilities(era === 'modern' ? '{"elicitation":{}}' : '{}') },
        },
        exchange,
      );
      return { exchange, running };
    },
  };
}

describe('the stricter decision of policy and source counts', () => {
  it.each<[Decision, Decision, 'runs' | 'waits' | 'refused']>([
    ['allow', 'allow', 'runs'],
    ['allow', 'ask', 'waits'],
    ['ask', 'allow', 'waits'],
    ['ask', 'ask', 'waits'],
    ['deny', 'allow', 'refused'],
    ['allow', 'deny', 'refused'],
    ['ask', 'deny', 'refused'],
  ])('%s and %s: it %s', async (policy, source, expected) => {
    const { start, ran, approvals } = bench(policy, source);
    const { exchange } = start();
    await turns();
    expect(ran).toHaveLength(expected === 'runs' ? 1 : 0);
    expect(approvals.list()).toHaveLength(expected === 'waits' ? 1 : 0);
    const kinds = { runs: ['ok'], waits: [], refused: ['not_executed'] };
    expect(exchange.kinds).toEqual(kinds[expected]);
    approvals.stop();
  });
});

describe('a question ahead of a call', () => {
  it('shows the plan, so the call itself raises no question', async () => {
    const { askAhead: ask, start, approvals, ran } = bench('allow', 'ask');
    const decision = await ask();
    expect(decision).toMatchObject({ question: { arguments: '{"path":"/bin/true"}', isCut: false } });
    approvals.decide('id-1', 'allowed');
    expect(await ask()).toEqual({ decision: 'allow' });
    const { exchange } = start();
    await turns();
    expect(exchange.kinds).toEqual(['ok']);
    expect(ran).toEqual(['/bin/true']);
    expect(approvals.list().filter(({ state }) => state === 'open')).toEqual([]);
  });

  it('does not cover another plan of the same call', async () => {
    const { askAhead: ask, start, approvals, ran, plan } = bench('allow', 'ask');
    await ask();
    approvals.decide('id-1', 'allowed');
    plan.now = '/bin/false';
    start();
    await turns();
    expect(ran).toEqual([]);
    expect(approvals.list().map(({ state }) => state)).toEqual(['allowed', 'open']);
    approvals.stop();
  });

  it.each<[Decision, Decision, Decision]>([
    ['allow', 'allow', 'allow'],
    ['ask', 'allow', 'ask'],
    ['deny', 'allow', 'deny'],
    ['allow', 'deny', 'deny'],
  ])('policy %s, source %s: %s', async (policy, source, expected) => {
    const { askAhead: ask, approvals } = bench(policy, source);
    expect(await ask()).toMatchObject({ decision: expected });
    approvals.stop();
  });
});

describe('a person', () => {
  it('is asked about the plan, not about the call’s arguments', async () => {
    const { start, approvals, ran } = bench('allow', 'ask');
    const { exchange } = start();
    await turns();
    const [open] = approvals.list();
    expect(open).toMatchObject({ tool: 'x', arguments: '{"path":"/bin/true"}' });
    approvals.decide(open!.id, 'allowed');
    await turns();
    expect(ran).toEqual(['/bin/true']);
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('is asked again if the same call has another plan', async () => {
    const { start, approvals, ran, plan } = bench('allow', 'ask');
    start();
    await turns();
    const [first] = approvals.list();
    plan.now = '/tmp/true';
    start();
    await turns();
    expect(approvals.list().map(({ arguments: shown }) => shown)).toEqual([
      '{"path":"/bin/true"}',
      '{"path":"/tmp/true"}',
    ]);
    plan.now = '/bin/true';
    approvals.decide(first!.id, 'allowed');
    await turns();
    expect(ran).toEqual(['/bin/true']);
    approvals.stop();
  });

  it('is asked again if the plan changed before it ran, even if it changed back', async () => {
    const { start, approvals, ran, plan } = bench('allow', 'ask');
    const { exchange } = start();
    await turns();
    plan.now = '/tmp/true';
    approvals.decide(approvals.list()[0]!.id, 'allowed');
    await turns();
    expect(exchange.kinds).toEqual(['not_executed']);
    plan.now = '/bin/true';
    start();
    await turns();
    expect(ran).toEqual([]);
    expect(approvals.list().map(({ state }) => state)).toEqual(['open']);
    approvals.stop();
  });

  it('is asked in the result of a modern call, and again if the plan changes before the client returns', async () => {
    const { start, ran, plan } = bench('allow', 'ask');
    const stateOf = ({ outcomes }: HandExchange): string => {
      const { result } = outcomes[0] as { result: string };
      return (parseBytes(result) as { requestState: string }).requestState;
    };
    const yes = { approval: { action: 'accept', content: {} } };
    const first = start('modern');
    await turns();
    expect(ran).toEqual([]);
    const second = start('modern', { requestState: stateOf(first.exchange), inputResponses: yes });
    await turns();
    expect(ran).toEqual(['/bin/true']);
    expect(second.exchange.kinds).toEqual(['ok']);

    const third = start('modern');
    await turns();
    plan.now = '/tmp/true';
    const fourth = start('modern', { requestState: stateOf(third.exchange), inputResponses: yes });
    await turns();
    expect(ran).toEqual(['/bin/true']);
    fourth.running.cancel('enough');
  });
});

it('asks no question about a call that would do nothing', async () => {
  const { start, approvals, source } = bench('ask', 'allow');
  const refusal = notExecuted(new PincerError('TOOL_ERROR', 'no such thing'));
  const begin: Prepared['begin'] = (exchange) => {
    exchange.settle(refusal);
    return { cancel: () => undefined };
  };
  source.prepare = () => Promise.resolve({ decision: 'allow', subject: [], begin });
  const { exchange } = start();
  await turns();
  expect(approvals.list()).toEqual([]);
  expect(exchange.kinds).toEqual(['not_executed']);
});

it('shows the person everything in the plan', async () => {
  const { start, approvals, plan } = bench('allow', 'ask');
  const payload = Buffer.alloc(9_000, 'rm -rf important; ').toString('base64');
  plan.now = `/bin/sh --password ${payload} sha256:${'0123456789abcdef'.repeat(4)} \u202e`;
  start();
  await turns();
  const { arguments: shown } = approvals.list()[0]!;
  expect(shown).toContain(payload);
  expect(shown).not.toContain('redacted');
  expect(shown).not.toContain('\u202e');
  approvals.stop();
});

describe('while the source prepares a call', () => {
  it('the call can be cancelled and does not run', async () => {
    const { start, ran } = bench('allow', 'allow');
    const { exchange, running } = start();
    running.cancel('enough');
    await turns();
    expect(ran).toEqual([]);
    expect(exchange.kinds).toEqual(['not_executed']);
  });

  it('an error ends the call and nothing runs', async () => {
    const { start, ran, source } = bench('allow', 'allow');
    source.prepare = () => Promise.reject(new PincerError('INTERNAL', 'no'));
    const { exchange } = start();
    await turns();
    expect(ran).toEqual([]);
    expect(exchange.kinds).toEqual(['not_executed']);
  });
});
