/** One order: it runs once, ends once, and can be watched meanwhile and read afterwards. */
import { PincerError } from '../../core/errors.ts';
import { outcomeUnknown, type Outcome } from '../../core/outcome.ts';
import type { Exchange, Answer, Asked, Question } from '../../core/request.ts';
import { cancelled } from '../outcome.ts';
import type { OrderProgress } from '../backend.ts';

/** Runs an order. Also resolves after `signal` has aborted. `tell` reports progress, and `ask` asks the client. */
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
    const told = [...watchers];
    watchers.clear();
    for (const watcher of told) watcher.onEnd(how);
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

  function answer(key: string, said: Answer): void {
    take(key)?.question.answer(said);
  }

  function put(key: string, entry: Entry): void {
    const [ask] = askers;
    const { method, params } = entry.question;
    entry.asked = ask?.({
      method,
      params,
      answer: (said) => {
        // Ignore the answer if another client is asked by now.
        if (askers[0] === ask) answer(key, said);
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
      // A function of its own, because the same `ask` may be given twice.
      const asker: Exchange['ask'] = (question) => ask(question);
      askers.push(asker);
      if (askers.length === 1) for (const [key, entry] of entries) put(key, entry);
      return () => {
        const place = askers.indexOf(asker);
        if (place === -1) return;
        askers.splice(place, 1);
        if (place > 0) return;
        withdrawAll('it is asked again by whoever waits next');
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
