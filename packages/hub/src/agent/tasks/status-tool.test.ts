import { specTypeSchemas } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answeredWith, HandWork, textIn } from '../../../../../test/kit/fake-order.ts';
import { ORDER_TTL_MS, orderBench, PATIENCE_MS, PLAIN } from '../../../../../test/kit/order-bench.ts';
import type { Outcome } from '../../core/outcome.ts';
import { orderStatusTool, orderStopTool } from '../tools.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const DONE = answeredWith('Done.');

function bench() {
  const { tasks, start, ask: request } = orderBench({ hasStatusTool: true });
  const { hand, exchange: first, running: call } = start(PLAIN);
  const ask = (name: string, args: object | undefined, more: object = {}) => {
    const params = args === undefined ? {} : { arguments: args };
    const { exchange, running } = request('tools/call', { name, params, ...more });
    return { exchange, running: running! };
  };
  return { tasks, hand, first, call, ask };
}

/** An order that took too long for its call. */
function longOne() {
  const all = bench();
  vi.advanceTimersByTime(PATIENCE_MS);
  return all;
}

const THIS = { orderId: 'o-1' };

describe('order that takes long', () => {
  it('returns how to fetch the answer, and continues without its client', async () => {
    const { hand, first, call } = bench();
    hand.say('Let me see.', 'exec');
    vi.advanceTimersByTime(PATIENCE_MS);
    const text = textIn(first.outcomes[0]);
    expect(first.kinds).toEqual(['ok']);
    expect(text).toContain('OpenClaw is still working');
    expect(text).toContain('Let me see.\n[uses exec]');
    expect(text).toContain('Call order_status with {"orderId":"o-1"}');
    call.cancel('the client went away');
    expect(hand.signal!.aborted).toBe(false);
    await hand.end(DONE);
    expect(first.outcomes).toHaveLength(1);
  });
});

describe('order_status', () => {
  it('is defined as a read-only tool', () => {
    expect(specTypeSchemas.Tool['~standard'].validate(orderStatusTool())).not.toHaveProperty('issues');
    expect(orderStatusTool()).toMatchObject({
      name: 'order_status',
      inputSchema: {
        type: 'object',
        properties: { orderId: { type: 'string' }, waitMs: { type: 'integer', minimum: 0 } },
        required: ['orderId'],
      },
      annotations: { readOnlyHint: true },
    });
  });

  it('returns the outcome of the call, any number of times', async () => {
    const { hand, ask } = longOne();
    const { exchange } = ask('order_status', THIS);
    expect(exchange.outcomes).toEqual([]);
    await hand.end(DONE);
    expect(exchange.outcomes).toEqual([DONE]);
    vi.setSystemTime(1_000 + PATIENCE_MS + ORDER_TTL_MS - 1);
    for (let turn = 0; turn < 3; turn++) expect(ask('order_status', THIS).exchange.outcomes).toEqual([DONE]);
    vi.setSystemTime(1_000 + PATIENCE_MS + ORDER_TTL_MS);
    expect(textIn(ask('order_status', THIS).exchange.outcomes[0])).toContain('Unknown order: "o-1"');
    expect(hand.runs).toBe(1);
  });

  it.each([
    [undefined, PATIENCE_MS],
    [10 * PATIENCE_MS, PATIENCE_MS],
    [2_000, 2_000],
  ])('reports after the wait that the order still runs: waitMs %s, %i ms', (waitMs, expected) => {
    const { hand, ask } = longOne();
    hand.say('Well,');
    const { exchange } = ask('order_status', { ...THIS, waitMs });
    vi.advanceTimersByTime(expected - 1);
    expect(exchange.outcomes).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(textIn(exchange.outcomes[0])).toMatch(/still working.*\n\n.*Well,/s);
    expect(hand.signal!.aborted).toBe(false);
  });

  it('does not wait if waitMs is 0', () => {
    const { ask } = longOne();
    const { exchange } = ask('order_status', { ...THIS, waitMs: 0 });
    vi.advanceTimersByTime(1);
    expect(exchange.kinds).toEqual(['ok']);
  });

  it('reports progress, including the earlier text', () => {
    const { hand, ask } = longOne();
    hand.say('Well,');
    const { exchange } = ask('order_status', THIS, { meta: { progressToken: 'p' } });
    hand.say('Well, look');
    vi.advanceTimersByTime(1_000);
    expect(exchange.notified.map((text) => text.match(/"message":"(.*)"/)![1])).toEqual([
      'Well,',
      'Well, look',
    ]);
  });

  it('does not stop the order when it is cancelled', async () => {
    const { hand, ask } = longOne();
    const { exchange, running } = ask('order_status', THIS);
    running.cancel('the client went away');
    await hand.end(DONE);
    expect([exchange.kinds, hand.signal!.aborted]).toEqual([['not_executed'], false]);
  });

  it("asks the agent's questions, and reports them if the client cannot be asked", () => {
    const { tasks, ask } = bench();
    const hand = new HandWork();
    const order = tasks.begin('me', hand.work);
    hand.ask('May I?');
    const silent = ask('order_status', { orderId: order.id, waitMs: 0 });
    vi.advanceTimersByTime(1);
    expect(textIn(silent.exchange.outcomes[0])).toContain('waits for an answer to a question');
    const { exchange } = ask('order_status', { orderId: order.id }, { capabilities: { elicitation: {} } });
    vi.advanceTimersByTime(10 * PATIENCE_MS);
    expect([exchange.questions.length, exchange.outcomes]).toEqual([1, []]);
    exchange.questions[0]!.answer({ result: '{"action":"accept"}' });
    expect(hand.answers).toHaveLength(1);
  });

  it.each([
    ['of another caller', THIS, { caller: 'you' }, 'Unknown order: "o-1"'],
    ['that never existed', { orderId: 'o-7' }, {}, 'Unknown order: "o-7"'],
    ['without an id', {}, {}, 'orderId: '],
    ['without arguments', undefined, {}, 'orderId: '],
    ['with an invalid wait', { ...THIS, waitMs: -1 }, {}, 'waitMs: '],
  ])('explains what is wrong with an order %s', (_, args, more, words) => {
    const { ask } = longOne();
    const [outcome] = ask('order_status', args, more).exchange.outcomes;
    expect(outcome!.kind).toBe('tool_error');
    expect(textIn(outcome)).toContain(words);
    expect(textIn(outcome)).toMatch(/^Error: /);
  });
});

describe('order_stop', () => {
  it('is defined as a tool that changes something', () => {
    expect(specTypeSchemas.Tool['~standard'].validate(orderStopTool())).not.toHaveProperty('issues');
    expect(orderStopTool()).toMatchObject({ name: 'order_stop', annotations: { readOnlyHint: false } });
  });

  it('stops the work and returns the text so far', async () => {
    const { hand, ask } = longOne();
    hand.say('Well,');
    const { exchange } = ask('order_stop', THIS);
    expect([hand.signal!.aborted, exchange.outcomes]).toEqual([true, []]);
    const stopped: Outcome = { ...answeredWith('Stopped.'), kind: 'tool_error' } as Outcome;
    await hand.end(stopped);
    expect(textIn(exchange.outcomes[0])).toBe(
      'OpenClaw has stopped its work on this order.\n\nIts text until then:\nWell,',
    );
    expect(ask('order_status', THIS).exchange.outcomes).toEqual([stopped]);
    expect(textIn(ask('order_stop', THIS).exchange.outcomes[0])).toContain('has stopped');
  });

  it('does nothing to an order that has ended', async () => {
    const { hand, ask } = longOne();
    await hand.end(DONE);
    expect(textIn(ask('order_stop', THIS).exchange.outcomes[0])).toContain('had already ended');
    expect(ask('order_status', THIS).exchange.outcomes).toEqual([DONE]);
  });

  it('does not find an order of another caller', () => {
    const { hand, ask } = longOne();
    const { exchange } = ask('order_stop', THIS, { caller: 'you' });
    expect([exchange.kinds, hand.signal!.aborted]).toEqual([['tool_error'], false]);
  });
});
