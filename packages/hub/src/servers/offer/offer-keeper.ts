/** Knows what a server offers: asks for all of it on the main connection, and for what has changed since. */
import { PincerError } from '../../core/errors.ts';
import type { ListKind, Offer } from '../../core/catalog/offer.ts';
import { backoffMs } from '../life/backoff.ts';
import type { Connection } from '../connection/connection.ts';
import { discoverLists, discoverOffer, type DiscoverOptions } from './discover.ts';
import type { Introduction } from '../negotiate.ts';

export interface DiscoveryFacts {
  /** When it last said what it offers, in milliseconds since 1970. */
  readonly lastDiscoveryAt: number | undefined;
  /** How often it was asked, and how often it did not say. */
  readonly discoveries: number;
  readonly discoveryFailures: number;
}

export interface OfferKeeper {
  /** A new main connection. Resolves when the server has been asked; never fails. */
  begin(connection: Connection, introduction: Introduction): Promise<void>;
  /** One of its lists has changed. Resolves when it has been asked for anew. */
  changed(kind: ListKind): Promise<void>;
  /** All that it offers is asked for anew, where it is connected. */
  refresh(): Promise<void>;
  /** What it offers has been heard on the connection that there is. */
  readonly isCurrent: boolean;
  readonly facts: DiscoveryFacts;
  /** The main connection is gone. */
  end(): void;
}

export interface OfferKeeperOptions extends DiscoverOptions {
  onOffer(offer: Offer): void;
  /** What went wrong is the server's problem until the next question is answered: then it is undefined. */
  onProblem(problem: PincerError | undefined): void;
  now(): number;
  /** How often it is asked without having said that anything changed; zero: never. */
  readonly everyMs: number;
}

/** A server that says that its lists have changed is asked at most this often. */
const PAUSE_MS = 250;
const ALL_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources'];
/** Servers that were started together need not all be asked together. */
const apart = (everyMs: number): number => Math.round(everyMs * (1 - 0.1 * Math.random()));

interface Asked {
  readonly connection: Connection;
  readonly introduction: Introduction;
  /** The lists that have to be asked for anew. */
  readonly stale: Set<ListKind>;
  /** What is known of it so far on this connection. */
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
      // Of a connection that is gone, its loss is the problem, and that is told already.
      if (!asked.connection.isOpen) return;
      for (const kind of kinds) asked.stale.add(kind);
      const problem = PincerError.from(error);
      options.onProblem(problem);
      log.warn(`server "${server}" did not list what it offers`, { error: problem.message });
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
 * Runs `task` at most once at a time and at most once per `pauseMs`. What is asked for meanwhile is one more run
 * afterwards, for the last asker; everybody waits for the run that began after they asked.
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
