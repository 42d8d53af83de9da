import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { answeredWith } from '../../../../../test/kit/fake-order.ts';
import {
  asking,
  LEGACY_TASK,
  MODERN,
  MODERN_TASKS,
  ORDER_TTL_MS,
  orderBench,
  PATIENCE_MS,
  PLAIN,
} from '../../../../../test/kit/order-bench.ts';
import type { Running } from '../../core/request.ts';
import { STOP_WAIT_MS } from './kept-orders.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000 }));
afterEach(() => vi.useRealTimers());

const DONE = answeredWith('Done.');
const YES = '{"action":"accept","content":{}}';

const STEPS = [
  'say',
  'ask',
  'reply',
  'drop',
  'end',
  'wait',
  'wait a little',
  'long',
  'give up',
  'tasks/get',
  'tasks/result',
  'tasks/cancel',
  'tasks/update',
  'order_status',
  'order_stop',
] as const;

it('runs work once and settles each request once, for any order of events', async () => {
  const clients = [PLAIN, LEGACY_TASK, MODERN, MODERN_TASKS].flatMap((client) => [client, asking(client)]);
  const step = fc.constantFrom(...STEPS);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...clients),
      fc.boolean(),
      fc.array(step, { maxLength: 40 }),
      async (client, hasStatusTool, steps) => {
        const { start, ask } = orderBench({ hasStatusTool });
        const { hand, exchange, running } = start(client);
        const exchanges = [exchange];
        const runs: (Running | undefined)[] = [];
        for (const each of steps) {
          if (each === 'say') hand.say('a');
          else if (each === 'ask') hand.ask('May I?');
          else if (each === 'reply')
            for (const { questions } of exchanges) questions.at(-1)?.answer({ result: YES });
          else if (each === 'drop') running.cancel('why');
          else if (each === 'end') await hand.end(DONE);
          else if (each === 'wait') await vi.advanceTimersByTimeAsync(PATIENCE_MS);
          else if (each === 'wait a little') await vi.advanceTimersByTimeAsync(1_000);
          else if (each === 'long') await vi.advanceTimersByTimeAsync(ORDER_TTL_MS);
          else if (each === 'give up') runs.at(-1)?.cancel('why');
          else {
            const isTool = each.startsWith('order_');
            const parts = isTool ? { name: each, params: { arguments: { orderId: 'o-1' } } } : {};
            const { era = 'legacy', capabilities = {} } = client;
            const asked = ask(isTool ? 'tools/call' : each, { ...parts, era, capabilities });
            exchanges.push(asked.exchange);
            runs.push(asked.running);
          }
          for (const { outcomes } of exchanges) expect(outcomes.length).toBeLessThanOrEqual(1);
        }
        await hand.end(DONE);
        await vi.advanceTimersByTimeAsync(STOP_WAIT_MS);
        expect(hand.runs).toBe(1);
        expect(exchanges.map(({ outcomes }) => outcomes.length)).toEqual(exchanges.map(() => 1));
      },
    ),
    { numRuns: 300 },
  );
});
