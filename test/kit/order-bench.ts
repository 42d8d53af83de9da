/** The handler of order requests, with work that the test controls. For unit tests. */
import type { Outcome } from '../../packages/hub/src/core/outcome.ts';
import type { Running } from '../../packages/hub/src/core/request.ts';
import { createTaskRequests } from '../../packages/hub/src/agent/tasks/task-requests.ts';
import { createTasks } from '../../packages/hub/src/agent/tasks/kept-orders.ts';
import { HandWork, orderRequest, type OrderRequestParts } from './fake-order.ts';
import { HandExchange } from './fake-wire.ts';

export const PATIENCE_MS = 50_000;
export const ORDER_TTL_MS = 3_600_000;

/** Clients by their support for tasks. */
export const PLAIN: OrderRequestParts = { era: 'legacy' };
export const LEGACY_TASK: OrderRequestParts = { era: 'legacy', params: { task: { ttl: 60_000 } } };
export const MODERN: OrderRequestParts = { era: 'modern' };
export const MODERN_TASKS: OrderRequestParts = {
  era: 'modern',
  capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
export const asking = (parts: OrderRequestParts): OrderRequestParts => ({
  ...parts,
  capabilities: { ...parts.capabilities, elicitation: {} },
});

export interface Started {
  readonly hand: HandWork;
  readonly exchange: HandExchange;
  readonly running: Running;
}

export function orderBench({ hasStatusTool = false, maxOrders = 100 } = {}) {
  let count = 0;
  const tasks = createTasks({
    limits: { maxOrders, orderTtlMs: ORDER_TTL_MS, maxOrderBytes: 1_000_000 },
    now: () => Date.now(),
    newId: () => `o-${++count}`,
  });
  const requests = createTaskRequests({
    tasks,
    maxWaitMs: PATIENCE_MS,
    hasStatusTool: () => hasStatusTool,
  });
  const start = (parts: OrderRequestParts): Started => {
    const hand = new HandWork();
    const exchange = new HandExchange();
    return { hand, exchange, running: requests.start(orderRequest(parts), hand.work, exchange) };
  };
  const ask = (method: string, parts: OrderRequestParts = {}) => {
    const exchange = new HandExchange();
    const running = requests.answer(orderRequest({ name: 'o-1', ...parts, method }), exchange);
    return { exchange, running };
  };
  const answerTo = (method: string, parts: OrderRequestParts = {}): Outcome =>
    ask(method, parts).exchange.outcomes[0]!;
  return { tasks, requests, start, ask, answerTo };
}
