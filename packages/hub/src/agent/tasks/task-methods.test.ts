import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answeredWith, orderRequest, resultIn } from '../../../../../test/kit/fake-order.ts';
import { HandClient, HandExchange } from '../../../../../test/kit/fake-wire.ts';
import {
  asking,
  LEGACY_TASK,
  MODERN_TASKS,
  orderBench,
  PATIENCE_MS,
} from '../../../../../test/kit/order-bench.ts';
import { PincerError } from '../../core/errors.ts';
import { outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const DONE = answeredWith('Done.');
const YES = '{"action":"accept","content":{}}';

describe('legacy task', () => {
  it('is answered at once, continues without its client, and can be fetched', async () => {
    const { start, answerTo } = orderBench();
    const { hand, exchange, running } = start(LEGACY_TASK);
    expect(exchange.outcomes).toMatchObject([{ kind: 'ok', era: 'legacy' }]);
    expect(resultIn(exchange.outcomes[0])).toMatchObject({ task: { taskId: 'o-1', status: 'working' } });
    running.cancel('the client went away');
    expect(hand.signal!.aborted).toBe(false);
    await hand.end(DONE);
    expect(exchange.outcomes).toHaveLength(1);
    expect(resultIn(answerTo('tasks/get'))).toMatchObject({ taskId: 'o-1', status: 'completed' });
    for (let turn = 0; turn < 3; turn++)
      expect(resultIn(answerTo('tasks/result'))).toEqual({
        ...resultIn(DONE),
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'o-1' } },
      });
    expect(hand.runs).toBe(1);
  });

  it('reports progress and its end to its client', async () => {
    const client = new HandClient();
    const { hand } = orderBench().start({ ...LEGACY_TASK, client, meta: { progressToken: 7 } });
    hand.say('Let me see.');
    await hand.end(DONE);
    const [progress, status] = client.notified.map((text) => text.split(/ (.*)/s));
    expect([progress![0], parseBytes(progress![1]!)]).toEqual([
      'notifications/progress',
      {
        progressToken: 7,
        progress: 1,
        message: 'Let me see.',
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'o-1' } },
      },
    ]);
    expect([status![0], parseBytes(status![1]!)]).toMatchObject([
      'notifications/tasks/status',
      { taskId: 'o-1', status: 'completed' },
    ]);
    expect(client.notified).toHaveLength(2);
  });

  it('is waited for by tasks/result, and cancelling that stops nothing', async () => {
    const { start, ask } = orderBench();
    const { hand } = start(LEGACY_TASK);
    const first = ask('tasks/result');
    const second = ask('tasks/result', { meta: { progressToken: 1 } });
    hand.say('Well,');
    first.running!.cancel('the client went away');
    expect(first.exchange.outcomes).toMatchObject([
      { kind: 'not_executed', reason: { code: 'CALL_CANCELLED' } },
    ]);
    expect(hand.signal!.aborted).toBe(false);
    await hand.end(DONE);
    expect([first.exchange.outcomes.length, second.exchange.kinds]).toEqual([1, ['ok']]);
    expect(second.exchange.notified).toHaveLength(1);
  });

  it('is stopped once by tasks/cancel', async () => {
    const { start, answerTo, ask } = orderBench();
    const { hand } = start(LEGACY_TASK);
    const waiting = ask('tasks/result');
    expect(resultIn(answerTo('tasks/cancel'))).toMatchObject({ taskId: 'o-1', status: 'cancelled' });
    expect(hand.signal!.aborted).toBe(true);
    const again = answerTo('tasks/cancel');
    expect(again).toMatchObject({ kind: 'tool_error' });
    expect(parseBytes((again as { error: string }).error)).toMatchObject({ code: -32_602 });
    await hand.end(outcomeUnknown(new PincerError('CALL_CANCELLED', 'Stopped.')));
    expect(waiting.exchange.kinds).toEqual(['outcome_unknown']);
    expect(resultIn(answerTo('tasks/get'))).toMatchObject({ status: 'cancelled' });
  });

  it('cannot be cancelled after its end', async () => {
    const { start, answerTo } = orderBench();
    await start(LEGACY_TASK).hand.end(DONE);
    expect(answerTo('tasks/cancel')).toMatchObject({ kind: 'tool_error' });
    expect(resultIn(answerTo('tasks/get'))).toMatchObject({ status: 'completed' });
  });

  it('asks its questions through tasks/result', async () => {
    const { start, ask, answerTo } = orderBench();
    const { hand } = start(asking(LEGACY_TASK));
    hand.ask('May I?');
    expect(resultIn(answerTo('tasks/get'))).toMatchObject({ status: 'input_required' });
    const { exchange } = ask('tasks/result', asking({}));
    expect(parseBytes(exchange.questions[0]!.params)).toMatchObject({
      message: 'May I?',
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'o-1' } },
    });
    exchange.questions[0]!.answer({ result: YES });
    expect(hand.answers).toEqual([{ result: YES }]);
    expect(resultIn(answerTo('tasks/get'))).toMatchObject({ status: 'working' });
  });

  it('is not created by a member of another type, nor in the modern era', () => {
    const { start } = orderBench();
    expect(start({ era: 'legacy', params: { task: true } }).exchange.outcomes).toEqual([]);
    expect(start({ ...LEGACY_TASK, era: 'modern' }).exchange.outcomes).toEqual([]);
  });
});

describe('modern task', () => {
  it('is created when the call takes long, continues without its client, and can be fetched', async () => {
    const { start, answerTo } = orderBench();
    const { hand, exchange, running } = start(MODERN_TASKS);
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exchange.outcomes).toMatchObject([{ kind: 'ok', era: 'modern' }]);
    expect(resultIn(exchange.outcomes[0])).toMatchObject({ resultType: 'task', taskId: 'o-1' });
    running.cancel('the client went away');
    expect(hand.signal!.aborted).toBe(false);
    expect(resultIn(answerTo('tasks/get', MODERN_TASKS))).toMatchObject({ status: 'working' });
    await hand.end(DONE);
    for (let turn = 0; turn < 3; turn++)
      expect(resultIn(answerTo('tasks/get', MODERN_TASKS))).toMatchObject({
        resultType: 'complete',
        status: 'completed',
        result: { content: [{ type: 'text', text: 'Done.' }] },
      });
    expect([exchange.outcomes.length, hand.runs]).toEqual([1, 1]);
  });

  it('is stopped by tasks/cancel, which always acknowledges', async () => {
    const { start, answerTo } = orderBench();
    const { hand } = start(MODERN_TASKS);
    vi.advanceTimersByTime(PATIENCE_MS);
    for (let turn = 0; turn < 2; turn++)
      expect(resultIn(answerTo('tasks/cancel', MODERN_TASKS))).toEqual({ resultType: 'complete' });
    expect(hand.signal!.aborted).toBe(true);
    await hand.end(DONE);
    expect(resultIn(answerTo('tasks/cancel', MODERN_TASKS))).toEqual({ resultType: 'complete' });
    expect(resultIn(answerTo('tasks/get', MODERN_TASKS))).toMatchObject({ status: 'cancelled' });
  });

  it('lists its questions, and takes answers by tasks/update', () => {
    const { start, answerTo } = orderBench();
    const { hand } = start(asking(MODERN_TASKS));
    vi.advanceTimersByTime(PATIENCE_MS);
    hand.ask('May I?');
    hand.ask('And this?');
    const keys = (): string[] =>
      Object.keys(resultIn(answerTo('tasks/get', MODERN_TASKS))['inputRequests'] ?? {});
    const update = (inputResponses: object): unknown =>
      resultIn(answerTo('tasks/update', { ...MODERN_TASKS, params: { inputResponses } }));
    const [first, second] = keys();
    expect(update({ [first!]: { action: 'accept' }, unknown: { action: 'accept' } })).toEqual({
      resultType: 'complete',
    });
    expect([hand.answers, keys()]).toEqual([[{ result: '{"action":"accept"}' }], [second]]);
    update({ [first!]: { action: 'decline' }, [second!]: 'no object' });
    expect([hand.answers.length, keys()]).toEqual([1, [second]]);
    update({ [second!]: { action: 'decline' } });
    expect([hand.answers.length, keys()]).toEqual([2, []]);
    expect(resultIn(answerTo('tasks/get', MODERN_TASKS))).toMatchObject({ status: 'working' });
  });

  it('rejects two answers to one question', () => {
    const { start, requests } = orderBench();
    const { hand } = start(asking(MODERN_TASKS));
    vi.advanceTimersByTime(PATIENCE_MS);
    hand.ask('May I?');
    const exchange = new HandExchange();
    const params = [{ key: 'inputResponses', raw: '{"question_1":{},"question_1":{}}' }];
    requests.answer(
      { ...orderRequest({ ...MODERN_TASKS, name: 'o-1', method: 'tasks/update' }), params },
      exchange,
    );
    expect([exchange.kinds, exchange.reason.code, hand.answers]).toEqual([
      ['not_executed'],
      'ARGUMENT_INVALID',
      [],
    ]);
  });
});

describe('task', () => {
  it.each(['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update'])(
    'of another caller looks unknown to %s',
    async (method) => {
      const { start, answerTo } = orderBench();
      const { hand } = start(LEGACY_TASK);
      const foreign = answerTo(method, { caller: 'you' });
      const unknown = answerTo(method, { name: 'o-7' });
      for (const outcome of [foreign, unknown])
        expect(outcome).toMatchObject({ kind: 'not_executed', reason: { code: 'TASK_UNKNOWN' } });
      const words = (outcome: Outcome): string =>
        (outcome as { reason: PincerError }).reason.message.replace(/o-\d/, '');
      expect(words(foreign)).toBe(words(unknown));
      expect(hand.signal!.aborted).toBe(false);
    },
  );

  it.each(['tools/call', 'resources/read', 'tasks/list'])('is not created by %s', (method) => {
    const { running, exchange } = orderBench().ask(method);
    expect([running, exchange.outcomes]).toEqual([undefined, []]);
  });
});
