/** Keeps a server's offer current: reads all of it on the main connection, then the lists that change. */
import { PincerError } from '../../core/errors.ts';
import type { ListKind, Offer } from '../../core/catalog/offer.ts';
import { backoffMs } from '../lifecycle/backoff.ts';
import type { Connection } from '../connection/connection.ts';
import { discoverLists, discoverOffer, type DiscoverOptions } from './discover.ts';
import type { Introduction } from '../negotiate.ts';

export interface DiscoveryFacts {
  /** When the offer was last read, in milliseconds since 1970. */
  readonly lastDiscoveryAt: number | undefined;
  /** How often the offer was requested, and how often that failed. */
  readonly discoveries: number;
  readonly discoveryFailures: number;
}

export interface OfferKeeper {
  /** Starts with a new main connection. Resolves when the offer was requested; never rejects. */
  begin(connection: Connection, introduction: Introduction): Promise<void>;
  /** Reads a changed list again. Resolves when that is done. */
  changed(kind: ListKind): Promise<void>;
  /** Reads the whole offer again, if connected. */
  refresh(): Promise<void>;
  /** The offer was read on the current connection. */
  readonly isCurrent: boolean;
  readonly facts: DiscoveryFacts;
  /** Called when the main connection is lost. */
  end(): void;
}

export interface OfferKeeperOptions extends DiscoverOptions {
  onOffer(offer: Offer): void;
  /** Reports a failed read; undefined after the next successful one. */
  onProblem(problem: PincerError | undefined): void;
  now(): number;
  /** Interval of unprompted reads; zero for never. */
  readonly everyMs: number;
}

/** The lists of a server are read at most this often. */
const PAUSE_MS = 250;
const ALL_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];
/** Spreads the reads of servers that were started together. */
const apart = (everyMs: number): number => Math.round(everyMs * (1 - 0.1 * Math.random()));

interface Asked {
  readonly connection: Connection;
  readonly introduction: Introduction;
  /** Lists that must be read again. */
  readonly stale: Set<ListKind>;
  /** The offer read so far on this connection. */
  offer: Offer | undefined;
}

export function createOfferKeeper(options: OfferKeeperOptions): OfferKeeper {
  const { server, log } = options;
  let current: Asked | undefined;
  let attempts = 0;
  let retry: NodeJS.Timeout | undefined;
  let lastDiscoveryAt: number | undefined;
  let discoveries = 0;
  let discoveryFailures = 0;
  let periodic: NodeJS.Timeout | undefined;

  function discover({ connection, introduction, offer }: Asked, kinds: readonly ListKind[]): Promise<Offer> {
    return offer === undefined
      ? discoverOffer(connection, introduction, options)
      : discoverLists(connection, kinds, offer, options);
  }

  const refresh = coalesce(async (asked: Asked) => {
    if (asked !== current) return;
    const kinds = [...asked.stale];
    asked.stale.clear();
    discoveries++;
    try {
      asked.offer = await discover(asked, kinds);
      lastDiscoveryAt = options.now();
      options.onOffer(asked.offer);
      options.onProblem(undefined);
      attempts = 0;
      clearTimeout(retry);
    } catch (error) {
      discoveryFailures++;
      // The loss of the connection was already reported.
      if (!asked.connection.isOpen) return;
      for (const kind of kinds) asked.stale.add(kind);
      const problem = PincerError.from(error);
      options.onProblem(problem);
      log.warn(`server "${server}" did not send its lists`, { error: problem.message });
      clearTimeout(retry);
      retry = setTimeout(() => void refresh(asked), backoffMs(attempts++, Math.random())).unref();
    }
  }, PAUSE_MS);

  async function refreshAll(): Promise<void> {
    if (current === undefined) return;
    for (const kind of ALL_KINDS) current.stale.add(kind);
    await refresh(current);
  }

  return {
    get isCurrent() {
      return current?.offer !== undefined;
    },
    get facts() {
      return { lastDiscoveryAt, discoveries, discoveryFailures };
    },
    begin(connection, introduction) {
      current = { connection, introduction, stale: new Set(), offer: undefined };
      clearInterval(periodic);
      if (options.everyMs > 0)
        periodic = setInterval(() => void refreshAll(), apart(options.everyMs)).unref();
      return refresh(current);
    },
    refresh: refreshAll,
    async changed(kind) {
      if (current === undefined) return;
      current.stale.add(kind);
      await refresh(current);
    },
    end() {
      current = undefined;
      clearTimeout(retry);
      clearInterval(periodic);
    },
  };
}

/**
 * Runs `task` at most once at a time and at most once per `pauseMs`. Requests made meanwhile share one further run,
 * with the last subject; each caller waits for a run that began after its request.
 */
export function coalesce<T>(
  task: (subject: T) => Promise<void>,
  pauseMs: number,
): (subject: T) => Promise<void> {
  let isBusy = false;
  let next: { subject: T; readonly ran: PromiseWithResolvers<void> } | undefined;

  async function run(subject: T): Promise<void> {
    isBusy = true;
    try {
      await task(subject);
    } finally {
      setTimeout(goOn, pauseMs).unref();
    }
  }

  function goOn(): void {
    isBusy = false;
    if (next === undefined) return;
    const { subject, ran } = next;
    next = undefined;
    run(subject).then(ran.resolve, ran.reject);
  }

  return (subject) => {
    if (!isBusy) return run(subject);
    next = { subject, ran: next?.ran ?? Promise.withResolvers<void>() };
    return next.ran.promise;
  };
}
