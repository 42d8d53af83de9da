import { specTypeSchemas } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { answeredWith, HandWork, resultIn } from '../../../../../test/kit/fake-order.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { startOrder, type KeptOrder } from './kept-orders.ts';
import { finalOutcome, getTaskResult, legacyTask, related, taskResult } from './task-methods.ts';

const BEGIN = Date.parse('2026-11-16T10:00:00.000Z');
const KEEP_MS = 3_600_000;

beforeEach(() => vi.useFakeTimers({ now: BEGIN }));
afterEach(() => vi.useRealTimers());

function begin(): { hand: HandWork; order: KeptOrder } {
  const hand = new HandWork();
  const parts = { id: 'o-1', caller: 'me', keepMs: KEEP_MS, now: () => Date.now(), onEnd: () => undefined };
  return { hand, order: startOrder(hand.work, parts) };
}

async function ended(outcome: Outcome): Promise<KeptOrder> {
  const { hand, order } = begin();
  vi.setSystemTime(BEGIN + 5_000);
  await hand.end(outcome);
  return order;
}

const DONE = answeredWith('Done, ✓.');
const FAILED: Outcome = {
  kind: 'tool_error',
  result: '{"content":[{"type":"text","text":"Error: no"}],"isError":true}',
  era: 'legacy',
  extra: '',
};
const LOST_REASON = new PincerError('SERVER_GONE', 'It is gone.', { hint: 'Look.', data: { where: 'x' } });
const SHOWN =
  '{"content":[{"type":"text","text":"Error: It is gone."}],"isError":true,"resultType":"complete"}';
const RPC_ERROR: Outcome = { kind: 'tool_error', error: '{"code":-32601,"message":"No"}', extra: '' };

/** Every state of an order. */
const STATES: Readonly<Record<string, () => Promise<KeptOrder>>> = {
  'one without progress': async () => begin().order,
  'one that says something': async () => {
    const { hand, order } = begin();
    hand.say('Let me see.', 'exec');
    return order;
  },
  'one that asks something': async () => {
    const { hand, order } = begin();
    hand.ask('May I?');
    return order;
  },
  'one that is stopped': async () => {
    const { order } = begin();
    order.cancel('why');
    return order;
  },
  'one that was stopped': async () => {
    const { hand, order } = begin();
    order.cancel('why');
    await hand.end(DONE);
    return order;
  },
  'an answered one': () => ended(DONE),
  'a failed one': () => ended(FAILED),
  'one that was refused': () => ended({ ...notExecuted(LOST_REASON), shown: SHOWN } as Outcome),
  'one that did not run': () => ended(notExecuted(LOST_REASON)),
  'a lost one': () => ended(outcomeUnknown(LOST_REASON)),
  'one with an error of the protocol': () => ended(RPC_ERROR),
};

async function each<T>(read: (order: KeptOrder) => T): Promise<Record<string, T>> {
  const all: Record<string, T> = {};
  for (const [name, make] of Object.entries(STATES)) all[name] = read(await make());
  return all;
}

const read = (raw: string): Record<string, unknown> => parseBytes(raw) as Record<string, unknown>;

describe('order in the legacy era', () => {
  const TASK = {
    taskId: 'o-1',
    status: 'working',
    statusMessage: 'OpenClaw is working.',
    createdAt: '2026-11-16T10:00:00.000Z',
    lastUpdatedAt: '2026-11-16T10:00:00.000Z',
    ttl: null,
    pollInterval: 1_000,
  };

  it('starts as a task of 2025-11-25', () => {
    expect(read(taskResult(begin().order, 'legacy'))).toEqual({ task: TASK });
  });

  it('reports its state, and never its result', async () => {
    expect(read(getTaskResult(begin().order, 'legacy'))).toEqual(TASK);
    const at = '2026-11-16T10:00:05.000Z';
    expect(read(getTaskResult(await ended(DONE), 'legacy'))).toEqual({
      ...TASK,
      status: 'completed',
      statusMessage: undefined,
      lastUpdatedAt: at,
      ttl: 5_000 + KEEP_MS,
    });
  });

  it('has a state of the specification', async () => {
    expect(await each((order) => read(legacyTask(order))['status'])).toEqual({
      'one without progress': 'working',
      'one that says something': 'working',
      'one that asks something': 'input_required',
      'one that is stopped': 'cancelled',
      'one that was stopped': 'cancelled',
      'an answered one': 'completed',
      'a failed one': 'failed',
      'one that was refused': 'failed',
      'one that did not run': 'failed',
      'a lost one': 'failed',
      'one with an error of the protocol': 'failed',
    });
  });

  it('matches the schema of the SDK in every state', async () => {
    const { CreateTaskResult, GetTaskResult, CancelTaskResult, TaskStatusNotificationParams } =
      specTypeSchemas;
    const issues = await each((order) => [
      CreateTaskResult['~standard'].validate(read(taskResult(order, 'legacy'))),
      GetTaskResult['~standard'].validate(read(getTaskResult(order, 'legacy'))),
      CancelTaskResult['~standard'].validate(read(getTaskResult(order, 'legacy'))),
      TaskStatusNotificationParams['~standard'].validate(read(legacyTask(order))),
    ]);
    for (const validated of Object.values(issues).flat()) expect(validated).not.toHaveProperty('issues');
  });
});

describe('order in the modern era', () => {
  const TASK = {
    taskId: 'o-1',
    status: 'working',
    statusMessage: 'OpenClaw is working.',
    createdAt: '2026-11-16T10:00:00.000Z',
    lastUpdatedAt: '2026-11-16T10:00:00.000Z',
    ttlMs: null,
    pollIntervalMs: 1_000,
  };
  const base = {
    taskId: z.string(),
    statusMessage: z.string().optional(),
    createdAt: z.iso.datetime(),
    lastUpdatedAt: z.iso.datetime(),
    ttlMs: z.int().nullable(),
    pollIntervalMs: z.int(),
  };
  const status = z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']);
  const created = z.strictObject({ ...base, status, resultType: z.literal('task') });
  const of = <S extends string, M extends z.ZodRawShape>(named: S, more: M) =>
    z.strictObject({ ...base, ...more, resultType: z.literal('complete'), status: z.literal(named) });
  /** `GetTaskResult` of the extension. The SDK has no schemas for it. */
  const detailed = z.discriminatedUnion('status', [
    of('working', {}),
    of('input_required', {
      inputRequests: z.record(z.string(), z.strictObject({ method: z.string(), params: z.looseObject({}) })),
    }),
    of('completed', {
      result: z.looseObject({ content: z.array(z.unknown()), resultType: z.literal('complete') }),
    }),
    of('failed', {
      error: z.strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
    }),
    of('cancelled', {}),
  ]);

  it('starts as a task of the extension', () => {
    expect(read(taskResult(begin().order, 'modern'))).toEqual({ resultType: 'task', ...TASK });
  });

  it('matches the schema of the extension in every state', async () => {
    const forms = await each((order) => [
      created.safeParse(read(taskResult(order, 'modern'))).error,
      detailed.safeParse(read(getTaskResult(order, 'modern'))).error,
    ]);
    for (const problem of Object.values(forms).flat()) expect(problem).toBeUndefined();
  });

  it('has failed only if it has no result', async () => {
    expect(await each((order) => read(getTaskResult(order, 'modern'))['status'])).toEqual({
      'one without progress': 'working',
      'one that says something': 'working',
      'one that asks something': 'input_required',
      'one that is stopped': 'cancelled',
      'one that was stopped': 'cancelled',
      'an answered one': 'completed',
      'a failed one': 'completed',
      'one that was refused': 'completed',
      'one that did not run': 'failed',
      'a lost one': 'failed',
      'one with an error of the protocol': 'failed',
    });
  });

  it('includes the whole answer once it has ended', async () => {
    expect(read(getTaskResult(await ended(DONE), 'modern'))).toEqual({
      resultType: 'complete',
      ...TASK,
      status: 'completed',
      statusMessage: undefined,
      lastUpdatedAt: '2026-11-16T10:00:05.000Z',
      ttlMs: 5_000 + KEEP_MS,
      result: { resultType: 'complete', content: [{ type: 'text', text: 'Done, ✓.' }], isError: false },
    });
  });

  it('includes the error of the call', async () => {
    expect(read(getTaskResult(await ended(outcomeUnknown(LOST_REASON)), 'modern'))).toMatchObject({
      statusMessage: 'It is gone.',
      error: {
        code: -32_011,
        message: 'It is gone.',
        data: { where: 'x', code: 'SERVER_GONE', outcome: 'outcome_unknown', hint: 'Look.' },
      },
    });
    expect(read(getTaskResult(await ended(notExecuted(LOST_REASON)), 'modern'))['error']).toMatchObject({
      code: -32_010,
    });
    expect(read(getTaskResult(await ended(RPC_ERROR), 'modern'))['error']).toEqual({
      code: -32_601,
      message: 'No',
    });
  });

  it('includes the open questions', async () => {
    const { hand, order } = begin();
    hand.ask('May I?');
    const { inputRequests } = read(getTaskResult(order, 'modern'));
    expect(Object.values(inputRequests as object)).toMatchObject([
      { method: 'elicitation/create', params: { message: 'May I?' } },
    ]);
  });
});

describe('statusMessage', () => {
  const statusMessageOf = (order: KeptOrder): unknown => read(legacyTask(order))['statusMessage'];

  it('is the last text and the running tool', () => {
    const { hand, order } = begin();
    hand.say('Let me see.', 'exec');
    expect(statusMessageOf(order)).toBe('Let me see.\n[uses exec]');
  });

  it('is the end of a long text, without half a character', () => {
    const { hand, order } = begin();
    hand.say('😀'.repeat(5_000));
    const message = statusMessageOf(order) as string;
    expect([message.length <= 1_001, message.isWellFormed(), message.startsWith('…')]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('tasks/result', () => {
  const META = { 'io.modelcontextprotocol/related-task': { taskId: 'o-1' } };

  it('returns the outcome of the call with the task id', async () => {
    const order = await ended(DONE);
    expect(resultIn(finalOutcome(order, order.outcome!))).toEqual({ ...resultIn(DONE), _meta: META });
    expect(order.outcome).toBe(DONE);
  });

  it('adds the task id to an existing _meta', () => {
    expect(read(related('{"_meta":{"a":1},"content":[]}', 'o-1'))).toEqual({
      _meta: { a: 1, ...META },
      content: [],
    });
  });

  it('returns the result that is shown for an error', async () => {
    const order = await ended({ ...outcomeUnknown(LOST_REASON), shown: SHOWN } as Outcome);
    expect(finalOutcome(order, order.outcome!)).toMatchObject({
      kind: 'outcome_unknown',
      reason: LOST_REASON,
    });
    expect(resultIn(finalOutcome(order, order.outcome!))).toEqual({ ...read(SHOWN), _meta: META });
  });

  it.each([outcomeUnknown(LOST_REASON), RPC_ERROR])('returns the error of the call: %j', async (outcome) => {
    const order = await ended(outcome);
    expect(finalOutcome(order, outcome)).toBe(outcome);
  });
});
