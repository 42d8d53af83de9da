import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  answeredWith,
  HandWork,
  orderRequest,
  resultIn,
  textIn,
} from '../../../../../test/kit/fake-order.ts';
import { HandExchange } from '../../../../../test/kit/fake-wire.ts';
import {
  asking,
  LEGACY_TASK,
  MODERN,
  MODERN_TASKS,
  orderBench,
  PATIENCE_MS,
  PLAIN,
} from '../../../../../test/kit/order-bench.ts';
import { Conversation } from '../../core/eras/conversation.ts';
import { createParking } from '../../core/eras/parking.ts';
import { PincerError } from '../../core/errors.ts';
import { notExecuted, type Outcome } from '../../core/outcome.ts';
import { STOP_WAIT_MS } from './kept-orders.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const DONE = answeredWith('Done.');
const YES = '{"action":"accept","content":{}}';

describe('call', () => {
  it.each([PLAIN, MODERN, MODERN_TASKS])('that ends soon is answered directly: %j', async (client) => {
    const { start, tasks } = orderBench({ hasStatusTool: true });
    const { hand, exchange } = start(client);
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    await hand.end(DONE);
    vi.advanceTimersByTime(PATIENCE_MS);
    expect([exchange.outcomes, tasks.running, tasks.kept, hand.runs]).toEqual([[DONE], 0, 0, 1]);
  });

  it.each([PLAIN, MODERN])('of a client without tasks is waited for: %j', async (client) => {
    const { start } = orderBench();
    const { hand, exchange } = start(client);
    vi.advanceTimersByTime(100 * PATIENCE_MS);
    expect(exchange.outcomes).toEqual([]);
    await hand.end(DONE);
    expect(exchange.outcomes).toEqual([DONE]);
  });

  it('reports progress until it is answered', async () => {
    const { start } = orderBench();
    const { hand, exchange } = start({ ...MODERN_TASKS, meta: { progressToken: 'p' } });
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    hand.say('Let me see.');
    // Too soon after the last one, so it would be sent later.
    hand.say('Let me see. Well');
    vi.advanceTimersByTime(1);
    hand.say('Let me see. Well,');
    vi.advanceTimersByTime(1_000);
    expect(exchange.notified).toEqual([
      'notifications/progress {"progressToken":"p","progress":1,"message":"Let me see."}',
    ]);
  });

  it('is stopped and ends as cancelled when its caller cancels', async () => {
    const { start, tasks } = orderBench({ hasStatusTool: true });
    const { hand, exchange, running } = start(MODERN_TASKS);
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    running.cancel('the client went away');
    expect(hand.signal!.aborted).toBe(true);
    // It no longer becomes a task.
    vi.advanceTimersByTime(STOP_WAIT_MS - 1);
    await hand.end({ ...DONE, kind: 'tool_error' } as Outcome);
    expect([exchange.kinds, tasks.kept]).toEqual([['outcome_unknown'], 0]);
    expect(exchange.reason.message).toBe('Cancelled: the client went away.');
  });

  it('is answered if its caller cancels too late', async () => {
    const { start } = orderBench();
    const { hand, exchange, running } = start(PLAIN);
    running.cancel('the client went away');
    await hand.end(DONE);
    expect(exchange.outcomes).toEqual([DONE]);
  });

  it('reports `not_executed` if it was cancelled before it ran', async () => {
    const { start } = orderBench();
    const { hand, exchange, running } = start(PLAIN);
    running.cancel('why');
    await hand.end(notExecuted(new PincerError('CALL_CANCELLED', 'Before it began.')));
    expect(exchange.kinds).toEqual(['not_executed']);
  });

  it('is refused if its caller has too many orders', () => {
    const { start } = orderBench({ maxOrders: 1 });
    start(PLAIN);
    const { hand, exchange } = start(PLAIN);
    expect([hand.runs, exchange.kinds, exchange.reason.code]).toEqual([0, ['not_executed'], 'SERVER_BUSY']);
    expect(textIn(exchange.outcomes[0])).toContain('too many running orders');
  });
});

describe('question during a call', () => {
  it('is asked through its client, and pauses the timeout', async () => {
    const { start } = orderBench({ hasStatusTool: true });
    const { hand, exchange } = start(asking(MODERN_TASKS));
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    hand.ask('May I?');
    vi.advanceTimersByTime(10 * PATIENCE_MS);
    expect([exchange.questions.length, exchange.outcomes]).toEqual([1, []]);
    exchange.questions[0]!.answer({ result: YES });
    expect(hand.answers).toEqual([{ result: YES }]);
    vi.advanceTimersByTime(PATIENCE_MS - 1);
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('is answered by a modern client in its next round, at any time', async () => {
    const { requests } = orderBench();
    const parking = createParking({ maxParkedCalls: 1, questionTimeoutMs: 100 * PATIENCE_MS });
    const request = orderRequest(asking(MODERN_TASKS));
    const abilities = () => request.client.abilities;
    const [hand, first, second] = [new HandWork(), new HandExchange(), new HandExchange()];
    const conversation = new Conversation(
      { caller: 'me', server: 'agent', abilities, parking, seal: () => 'state' },
      first,
    );
    conversation.start((exchange) => requests.start(request, hand.work, exchange));
    hand.ask('May I?');
    vi.advanceTimersByTime(10 * PATIENCE_MS);
    const asked = resultIn(first.outcomes[0]) as { inputRequests: object; resultType: string };
    expect(asked.resultType).toBe('input_required');
    const [key] = Object.keys(asked.inputRequests);
    conversation.resume(second, [{ key: key!, raw: YES }]);
    expect([hand.answers, second.outcomes]).toEqual([[{ result: YES }], []]);
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(resultIn(second.outcomes[0])).toMatchObject({ resultType: 'task', status: 'working' });
    await hand.end();
    expect([first.outcomes.length, second.outcomes.length]).toEqual([1, 1]);
  });

  it('is asked through the next client if the first one has left', () => {
    const { start, ask } = orderBench();
    const { hand } = start(asking(LEGACY_TASK));
    const first = ask('tasks/result', asking({}));
    hand.ask('May I?');
    first.running!.cancel('the client went away');
    expect([first.exchange.questions.length, first.exchange.withdrawn.length]).toEqual([1, 1]);
    const { exchange } = ask('tasks/result', asking({}));
    exchange.questions[0]!.answer({ result: YES });
    expect(hand.answers).toEqual([{ result: YES }]);
  });

  it('is withdrawn when the order ends', async () => {
    const { hand, exchange } = orderBench().start(asking(PLAIN));
    hand.ask('May I?');
    await hand.end(DONE);
    expect([exchange.withdrawn.length, exchange.outcomes, hand.answers]).toEqual([1, [DONE], []]);
  });
});
