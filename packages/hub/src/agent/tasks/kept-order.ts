/** One order: it runs once, ends once, and can be looked at until then and afterwards. */
import { PincerError } from '../../../core/errors.ts';
import { outcomeUnknown, type Outcome } from '../../../core/outcome.ts';
import type { Exchange } from '../../../core/request.ts';
import { cancelled } from '../outcome.ts';
import type { OrderProgress } from '../backend.ts';
import { createOpenQuestions, type OpenQuestions } from './open-questions.ts';

/** `signal`: it is to stop, and resolves all the same. `tell`: there is something new. `ask`: it needs an answer of the client. */
export type Work = (
  signal: AbortSignal,
  tell: (read: () => OrderProgress) => void,
  ask: Exchange['ask'],
) => Promise<Outcome>;

export interface OrderWatcher {
  onProgress?: (read: () => OrderProgress) => void;
  /** There is another question, or one less. */
  onQuestions?: () => void;
  /** Once, and the last of all. */
  onEnd(outcome: Outcome): void;
}

export interface KeptOrder {
  readonly id: string;
  readonly caller: string;
  readonly createdAt: number;
  /** When something last became known of it. */
  readonly updatedAt: number;
  /** From its beginning until it is forgotten; null: it has not ended. */
  readonly ttlMs: number | null;
  /** Undefined: it has not ended. */
  readonly outcome: Outcome | undefined;
  readonly isCancelled: boolean;
  readonly questions: OpenQuestions;
  /** Reads what was said so far; undefined: nothing yet, or it has ended. */
  readonly progress: (() => OrderProgress) | undefined;
  /** False: it has ended, or is being stopped already. */
  cancel(reason: string): boolean;
  /** Until it ends, or the function that comes back is called. */
  watch(watcher: OrderWatcher): () => void;
}

export interface OrderParts {
  readonly id: string;
  readonly caller: string;
  /** How long it can be fetched once it has ended. */
  readonly keepMs: number;
  now(): number;
  /** After all who watch it. */
  onEnd(order: KeptOrder): void;
}

/** Work that was told to stop and has not ended after this time is no longer waited for. */
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
    // It may hold on to all that the agent did.
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

  // Whatever it throws, at once or later, is how it ended; how far it got nobody knows.
  const run = async (): Promise<Outcome> =>
    work(stopping.signal, tell, (question) => questions.ask(question));
  void run()
    .catch((error: unknown) => outcomeUnknown(PincerError.from(error)))
    .then(end);
  return order;
}
