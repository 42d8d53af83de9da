/**
 * Orders that run, and orders that have ended and can still be fetched. Only the caller of an order can see it. They are
 * kept in memory, so a restart of the hub loses them. An order runs once, ends once, can be watched, and keeps the open
 * questions of its agent.
 */
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Answer, Asked, Exchange, Question } from '../../core/request.ts';
import type { OrderProgress } from '../backend.ts';
import { cancelled } from '../outcome.ts';

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
      for (const order of orders.values()) order.cancel('Pincer is shutting down');
    },
  };
}

function sizeOf(outcome: Outcome): number {
  if ('result' in outcome) return outcome.result.length;
  return 'error' in outcome ? outcome.error.length : (outcome.shown?.length ?? 0);
}

const TOO_MANY = new PincerError('SERVER_BUSY', 'This caller has too many running orders.', {
  hint: 'Wait until one has ended, stop one, or raise limits.maxOrders.',
});

/** Runs an order. It also resolves after `signal` has aborted. `tell` reports progress, and `ask` asks the client. */
export type Work = (
  signal: AbortSignal,
  tell: (read: () => OrderProgress) => void,
  ask: Exchange['ask'],
) => Promise<Outcome>;

interface OrderWatcher {
  onProgress?: (read: () => OrderProgress) => void;
  /** A question was added or removed. */
  onQuestions?: () => void;
  /** Called once, and last. */
  onEnd(outcome: Outcome): void;
}

export interface KeptOrder {
  readonly id: string;
  readonly caller: string;
  readonly createdAt: number;

  readonly updatedAt: number;
  /** From its start until it is forgotten; null while it runs. */
  readonly ttlMs: number | null;
  /** Undefined while it runs. */
  readonly outcome: Outcome | undefined;
  readonly isCancelled: boolean;
  readonly questions: OpenQuestions;
  /** Reads the progress so far; undefined if there is none yet, or it has ended. */
  readonly progress: (() => OrderProgress) | undefined;
  /** Returns false if it has ended or is already being stopped. */
  cancel(reason: string): boolean;
  /** Watches until the end. Returns a function that ends the watch. */
  watch(watcher: OrderWatcher): () => void;
}

interface OrderParts {
  readonly id: string;
  readonly caller: string;
  /** How long it can be fetched after its end. */
  readonly keepMs: number;
  now(): number;
  /** Called after all watchers. */
  onEnd(order: KeptOrder): void;
}

/** How long to wait for the end of work that was told to stop. */
export const STOP_WAIT_MS = 10_000;

export function startOrder(work: Work, { id, caller, keepMs, now, onEnd }: OrderParts): KeptOrder {
  const stopping = new AbortController();
  const watchers = new Set<OrderWatcher>();
  const createdAt = now();
  let updatedAt = createdAt;
  let endedAt: number | undefined;
  let outcome: Outcome | undefined;
  let progress: (() => OrderProgress) | undefined;
  let stopped: NodeJS.Timeout | undefined;

  const questions = createOpenQuestions(() => {
    updatedAt = now();
    for (const watcher of watchers) watcher.onQuestions?.();
  });

  function tell(read: () => OrderProgress): void {
    if (outcome !== undefined) return;
    progress = read;
    updatedAt = now();
    for (const watcher of watchers) watcher.onProgress?.(read);
  }

  function end(how: Outcome): void {
    if (outcome !== undefined) return;
    clearTimeout(stopped);
    outcome = how;
    endedAt = updatedAt = now();
    // It may reference everything that the agent did.
    progress = undefined;
    questions.close();
    const notified = [...watchers];
    watchers.clear();
    for (const watcher of notified) watcher.onEnd(how);
    onEnd(order);
  }

  const order: KeptOrder = {
    id,
    caller,
    createdAt,
    get updatedAt() {
      return updatedAt;
    },
    get ttlMs() {
      return endedAt === undefined ? null : endedAt - createdAt + keepMs;
    },
    get outcome() {
      return outcome;
    },
    get isCancelled() {
      return stopping.signal.aborted;
    },
    get progress() {
      return progress;
    },
    questions,
    cancel(reason) {
      if (outcome !== undefined || stopping.signal.aborted) return false;
      updatedAt = now();
      const why = cancelled(reason);
      stopped = setTimeout(() => end(outcomeUnknown(why)), STOP_WAIT_MS).unref();
      stopping.abort(why);
      return true;
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };

  // If the work throws, it may have run.
  const run = async (): Promise<Outcome> =>
    work(stopping.signal, tell, (question) => questions.ask(question));
  void run()
    .catch((error: unknown) => outcomeUnknown(PincerError.from(error)))
    .then(end);
  return order;
}

export interface OpenQuestions {
  /** By keys that are never reused. */
  readonly open: ReadonlyMap<string, Question>;

  ask(question: Question): Asked;
  /** Asks through this client until the returned function is called. That withdraws its questions; they stay open. */
  askThrough(ask: Exchange['ask']): () => void;
  /** Drops an answer to a question that is not open. */
  answer(key: string, answer: Answer): void;
  /** The order has ended. */
  close(): void;
}

interface Entry {
  readonly question: Question;
  asked: Asked | undefined;
}

/** The unanswered questions of an agent. The next client that waits for the order is asked them. */
export function createOpenQuestions(onChange: () => void): OpenQuestions {
  const entries = new Map<string, Entry>();
  /** Only the first one is asked. */
  const askers: Exchange['ask'][] = [];
  let count = 0;

  function take(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entries.delete(key)) onChange();
    return entry;
  }

  function answer(key: string, reply: Answer): void {
    take(key)?.question.answer(reply);
  }

  function put(key: string, entry: Entry): void {
    const [ask] = askers;
    const { method, params } = entry.question;
    entry.asked = ask?.({
      method,
      params,
      answer: (reply) => {
        // Ignore the answer if another client is asked by now.
        if (askers[0] === ask) answer(key, reply);
      },
    });
  }

  function withdrawAll(reason: string): void {
    for (const entry of entries.values()) {
      const { asked } = entry;
      entry.asked = undefined;
      asked?.withdraw(reason);
    }
  }

  return {
    get open() {
      return new Map([...entries].map(([key, { question }]) => [key, question]));
    },
    ask(question) {
      const key = `question_${++count}`;
      const entry: Entry = { question, asked: undefined };
      entries.set(key, entry);
      onChange();
      put(key, entry);
      return { withdraw: (reason) => take(key)?.asked?.withdraw(reason) };
    },
    askThrough(ask) {
      // A separate function, because the same `ask` may be given twice.
      const asker: Exchange['ask'] = (question) => ask(question);
      askers.push(asker);
      if (askers.length === 1) for (const [key, entry] of entries) put(key, entry);
      return () => {
        const place = askers.indexOf(asker);
        if (place === -1) return;
        askers.splice(place, 1);
        if (place > 0) return;
        withdrawAll('the next client that waits is asked instead');
        if (askers.length > 0) for (const [key, entry] of entries) put(key, entry);
      };
    },
    answer,
    close() {
      withdrawAll('the order has ended');
      entries.clear();
    },
  };
}
