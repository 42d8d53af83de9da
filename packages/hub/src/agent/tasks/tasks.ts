/**
 * The registry of orders: those that run, and those that have ended and can still be fetched. Only the caller of an
 * order can see it. They are kept in memory, so a restart of the hub loses them.
 */
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Outcome } from '../../core/outcome.ts';
import { startOrder, type KeptOrder, type Work } from './kept-order.ts';

interface TasksParts {
  readonly limits: Pick<Limits, 'maxOrders' | 'orderTtlMs' | 'maxOrderBytes'>;
  now(): number;
  /** Must be hard to guess: the id and the caller's credential give access to the answer. */
  newId(): string;
}

export interface Tasks {
  /** Orders that have not ended. */
  readonly running: number;
  /** Orders that have ended and can be fetched. */
  readonly kept: number;
  /** Runs the work exactly once. Throws if too many orders of the caller run. */
  begin(caller: string, work: Work): KeptOrder;
  /** Returns undefined if the order is unknown, expired, or of another caller. */
  find(caller: string, id: string): KeptOrder | undefined;
  /** The answer was delivered. */
  forget(order: KeptOrder): void;
  /** Stops and forgets all orders of a caller. */
  forgetCaller(caller: string): void;
  /** Stops all orders that run. */
  close(): void;
}

export function createTasks({ limits, now, newId }: TasksParts): Tasks {
  const orders = new Map<string, KeptOrder>();
  /** Orders that have ended, oldest first, with the bytes that each takes. */
  const ended = new Map<KeptOrder, number>();
  let bytes = 0;

  function forget(order: KeptOrder): void {
    orders.delete(order.id);
    bytes -= ended.get(order) ?? 0;
    ended.delete(order);
  }

  function sweep(): void {
    for (const order of ended.keys()) if (now() >= order.createdAt + order.ttlMs!) forget(order);
  }

  function keep(order: KeptOrder): void {
    if (!orders.has(order.id)) return;
    const size = sizeOf(order.outcome!);
    ended.set(order, size);
    bytes += size;
    for (const oldest of ended.keys()) if (bytes > limits.maxOrderBytes && oldest !== order) forget(oldest);
    setTimeout(sweep, limits.orderTtlMs).unref();
  }

  function makeRoom(caller: string): void {
    const isOwn = (order: KeptOrder): boolean => order.caller === caller;
    if ([...orders.values()].filter(isOwn).length < limits.maxOrders) return;
    const oldest = [...ended.keys()].find(isOwn);
    if (oldest === undefined) throw TOO_MANY;
    forget(oldest);
  }

  return {
    get running() {
      return orders.size - ended.size;
    },
    get kept() {
      return ended.size;
    },
    begin(caller, work) {
      sweep();
      makeRoom(caller);
      const id = newId();
      const order = startOrder(work, { id, caller, keepMs: limits.orderTtlMs, now, onEnd: keep });
      orders.set(id, order);
      return order;
    },
    find(caller, id) {
      sweep();
      const order = orders.get(id);
      return order?.caller === caller ? order : undefined;
    },
    forget,
    forgetCaller(caller) {
      for (const order of orders.values())
        if (order.caller === caller && !order.cancel('its token was revoked')) forget(order);
    },
    close() {
      for (const order of orders.values()) order.cancel('Pincer ends');
    },
  };
}

function sizeOf(outcome: Outcome): number {
  if ('result' in outcome) return outcome.result.length;
  return 'error' in outcome ? outcome.error.length : (outcome.shown?.length ?? 0);
}

const TOO_MANY = new PincerError('SERVER_BUSY', 'Too many orders of this caller go on.', {
  hint: 'Wait until one has ended, stop one, or raise limits.maxOrders.',
});
