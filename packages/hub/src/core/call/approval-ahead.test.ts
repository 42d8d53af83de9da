import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { ApprovalStore } from '../../../../../test/kit/approval-store.ts';
import { HandSource } from '../../../../../test/kit/fake-source.ts';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import { aboutOf, definePrompt, defineResource, defineTool, offerOf } from '../../../../../test/kit/offer.ts';
import { createSealer } from '../../../../../test/kit/sealer.ts';
import { sha256 } from '../../../../../test/kit/sha256.ts';
import { askAhead, type Foretold } from './approval-ahead.ts';
import { createApprovals } from '../approvals/approvals.ts';
import { createParking } from '../eras/parking.ts';
import { createRequestStates } from '../eras/request-state.ts';
import { createCalls } from './calls.ts';
import { createTaskBook } from './task-ids.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { STRANGER } from '../client.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { createPolicy, type Decision } from '../policy.ts';
import { toByteText } from '../wire/byte-text.ts';
import { readMembers } from '../wire/members.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const CALLER = { id: 'c', name: 'openclaw:s', scopes: { servers: ['s'] } };
const ROOM = 400;

function bench(policy: Record<string, Decision> = { '*': 'ask' }) {
  const source = new HandSource();
  const notified: [id: string, isShown: boolean][] = [];
  const clock = { now: () => Date.now(), elapsed: () => performance.now() };
  const catalog = createCatalog(sha256);
  catalog.configure([{ name: 's', prefix: 's' }]);
  catalog.put(
    's',
    offerOf({
      about: aboutOf({ resources: {} }),
      tools: [defineTool({ name: 'x' })],
      prompts: [definePrompt('p')],
      resources: [defineResource('a:b')],
    }),
  );
  let ids = 0;
  const approvals = createApprovals({
    store: new ApprovalStore(),
    clock,
    digest: sha256,
    origin: () => 'o-1',
    newId: () => `id-${++ids}`,
    limits: DEFAULT_LIMITS,
    notify: ({ id }, isShown) => void notified.push([id, isShown]),
  });
  const parts = {
    catalog,
    approvals,
    policy: () => createPolicy({ servers: { s: policy } }),
    tasks: createTaskBook(),
    source: () => source,
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
  const addressed = (json: string, method: string) => ({
    caller: CALLER,
    view: 's',
    method,
    params: readMembers(toByteText(json)),
  });
  return {
    approvals,
    source,
    notified,
    ask: (json: string, method = 'tools/call', room = ROOM): Promise<Foretold> =>
      askAhead(parts, addressed(json, method), room),
    send(json: string, method = 'tools/call'): HandExchange {
      const exchange = new HandExchange();
      const rest = { surface: 'http', meta: [], era: 'legacy' as const, client: STRANGER };
      calls.start({ ...addressed(json, method), ...rest }, exchange);
      return exchange;
    },
  };
}

const PARAMS = '{"name":"x","arguments":{"n":1,"text":"ä"}}';

describe('a question ahead of its call', () => {
  it('is open, and shown by the program that asked it', async () => {
    const { approvals, notified, ask } = bench();
    const question = {
      id: 'id-1',
      server: 's',
      tool: 'x',
      arguments: '{"n":1,"text":"ä"}',
      isCut: false,
    };
    expect(await ask(PARAMS)).toEqual({ decision: 'ask', question });
    expect(await ask(PARAMS)).toEqual({ decision: 'ask', question });
    expect(approvals.list()).toMatchObject([{ id: 'id-1', caller: 'openclaw:s', state: 'open' }]);
    expect(notified).toEqual([['id-1', true]]);
  });

  it('lets the next call run once it is allowed, without asking again', async () => {
    const { approvals, source, notified, ask, send } = bench();
    await ask(PARAMS);
    approvals.decide('id-1', 'allowed');
    expect(await ask(PARAMS)).toEqual({ decision: 'allow' });
    send('{"arguments": {"text": "\\u00e4", "n": 1}, "name": "x", "_meta": {"progressToken": 1}}');
    expect(source.asked).toHaveLength(1);
    expect(notified).toHaveLength(1);
  });

  it('lets a call run that arrived before the answer', async () => {
    const { approvals, source, notified, ask, send } = bench();
    await ask(PARAMS);
    send(PARAMS);
    expect(source.asked).toEqual([]);
    approvals.decide('id-1', 'allowed');
    expect(source.asked).toHaveLength(1);
    expect(notified).toHaveLength(1);
  });

  it('covers exactly these arguments', async () => {
    const { approvals, source, ask, send } = bench();
    await ask(PARAMS);
    approvals.decide('id-1', 'allowed');
    send('{"name":"x","arguments":{"n":2,"text":"ä"}}');
    expect(source.asked).toEqual([]);
    expect(approvals.list().map(({ state }) => state)).toEqual(['allowed', 'open']);
  });

  it('is denied from then on without asking again', async () => {
    const { approvals, ask, send } = bench();
    await ask(PARAMS);
    approvals.decide('id-1', 'denied');
    expect(await ask(PARAMS)).toMatchObject({ decision: 'deny', reason: { code: 'APPROVAL_DENIED' } });
    expect(send(PARAMS).kinds).toEqual(['not_executed']);
  });

  it('leaves nothing behind after it is withdrawn, unless a call waits for it', async () => {
    const { approvals, ask, send } = bench();
    await ask(PARAMS);
    approvals.withdraw('id-1');
    approvals.withdraw('id-1');
    expect(approvals.list()).toEqual([]);
    await ask(PARAMS);
    send(PARAMS);
    approvals.withdraw('id-2');
    expect(approvals.list()).toMatchObject([{ id: 'id-2', state: 'open' }]);
  });

  it('covers a prompt or a resource as well', async () => {
    const { approvals, source, ask, send } = bench();
    expect(await ask('{"uri":"a:b"}', 'resources/read')).toMatchObject({
      question: { tool: 'resources/read a:b', arguments: '{}' },
    });
    approvals.decide('id-1', 'allowed');
    send('{"uri":"a:b"}', 'resources/read');
    expect(source.asked).toHaveLength(1);
    expect(await ask('{"name":"p"}', 'prompts/get')).toMatchObject({ question: { tool: 'prompts/get p' } });
  });

  it('shows what fits, hides tokens, and sets isCut if text is missing', async () => {
    const { ask, notified } = bench();
    const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
    const long = await ask(
      `{"name":"x","arguments":{"body":"${'word '.repeat(200)}","token":"${token}","last":1}}`,
    );
    const { question } = long as Extract<Foretold, { decision: 'ask' }>;
    expect(question.isCut).toBe(true);
    expect(notified).toEqual([[question.id, false]]);
    expect(Buffer.byteLength(question.arguments)).toBeLessThanOrEqual(ROOM);
    expect(question.arguments).toContain('"last":1');
    expect(question.arguments).not.toContain(token);
  });

  it('is denied if the subject is too long to show', async () => {
    const { approvals, ask } = bench();
    const decision = await ask(`{"name":"x","arguments":{"body":"${'x'.repeat(1_100_000)}"}}`);
    expect(decision).toMatchObject({ decision: 'deny', reason: { code: 'APPROVAL_TOO_LONG' } });
    expect(approvals.list()).toEqual([]);
  });
});

it('returns policy’s allow and deny without a question', async () => {
  const { approvals, ask } = bench({ x: 'allow', '*': 'deny' });
  expect(await ask(PARAMS)).toEqual({ decision: 'allow' });
  expect(await ask('{"uri":"a:b"}', 'resources/read')).toMatchObject({
    decision: 'deny',
    reason: { code: 'POLICY_DENIED' },
  });
  expect(approvals.list()).toEqual([]);
});

it('asks no question about an unknown tool; the call itself fails', async () => {
  const { approvals, ask } = bench();
  expect(await ask('{"name":"y"}')).toEqual({ decision: 'allow' });
  expect(approvals.list()).toEqual([]);
});
