/** The requests to one server: on which connection each goes, what it waits for, and what is done when that is lost. */
import type { ServerConfig } from '../config/schema.ts';
import {
  startLater,
  onOutcome,
  NOTHING_RUNS,
  type Exchange,
  type Running,
  type SourceRequest,
} from '../core/request.ts';
import { PincerError } from '../core/errors.ts';
import { notExecuted } from '../core/outcome.ts';
import type { Clock, Log } from '../core/ports.ts';
import { callTimeoutMs } from './connection/call-ending.ts';
import type { Connection } from './connection/connection.ts';
import { isForOneCall, isOwnKey, isPerCaller } from './connection/connection-key.ts';
import { OTHER_ERA } from './connector.ts';
import type { Eras } from './eras.ts';
import type { Life } from './life/life.ts';
import { openPatiently } from './life/open-patiently.ts';
import { createLoneKeys } from './lone-keys.ts';
import { notSent } from './not-sent.ts';
import type { TokensOfServer } from './oauth/grants/tokens.ts';
import type { OfferKeeper } from './offer/offer-keeper.ts';
import { saysUnknownTool } from './offer/unknown-tool.ts';
import { forCaller, noSharedWatch } from './per-caller.ts';
import type { Pool } from './pool.ts';
import { withRepetition } from './repeat.ts';
import { settleSubscription } from './watch/subscription-answer.ts';
import type { Watch } from './watch/watch.ts';

export interface RequestsParts {
  readonly name: string;
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly mainKey: string;
  readonly eras: Eras;
  readonly life: Life;
  readonly pool: Pool;
  readonly watch: Watch;
  readonly offers: OfferKeeper;
  readonly tokens?: TokensOfServer | undefined;
  /** Connections that one caller after the other has for itself, at most. */
  readonly maxLone: number;
  /** How long a server may take to be ready. */
  readonly connectMs: number;
  readonly maxCallMs: number;
  /** Tools are looked at before they are called: they may have changed since they were last. */
  isWatchful(): boolean;
  /** Gives up a call of this caller that waits for its client; false: there is none. */
  makeRoom(caller: string): boolean;
  /** The first question about what it offers on the main connection. */
  firstList(): Promise<void> | undefined;
  gone(): PincerError;
}

export interface Requests {
  /** Calls that were sent a second time. */
  readonly repeated: number;
  request(request: SourceRequest, exchange: Exchange): Running;
}

const SUBSCRIPTION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

export function createRequests(parts: RequestsParts): Requests {
  const { name, config, clock, log, mainKey, eras, life, pool, watch, offers, gone } = parts;
  const lone = createLoneKeys(parts.maxLone);
  let repeated = 0;

  function perform(request: SourceRequest, exchange: Exchange, mayLookAgain = true): Running {
    const key = eras.keyFor(request);
    if (isForOneCall(key)) return callAlone(key, request, exchange, mayLookAgain);
    // What is nobody's own cannot tell whom a change is for.
    if (!isOwnKey(key) && SUBSCRIPTION.has(request.method)) {
      if (!isPerCaller(config)) return settleSubscription(watch, request, exchange);
      exchange.settle(notExecuted(noSharedWatch(name)));
      return NOTHING_RUNS;
    }
    return callOn(key, request, exchange, mayLookAgain);
  }

  function callAlone(
    key: string,
    request: SourceRequest,
    exchange: Exchange,
    mayLookAgain: boolean,
  ): Running {
    try {
      const reserved = lone.reserve(key, request.caller.id, exchange, () =>
        parts.makeRoom(request.caller.id),
      );
      return callOn(reserved.key, request, endingWith(reserved), mayLookAgain);
    } catch (error) {
      exchange.settle(notExecuted(PincerError.from(error)));
      return NOTHING_RUNS;
    }
  }

  /** A call that was cancelled or lost may still have something to say, and the next one must not hear it. */
  const endingWith = ({ key, exchange }: { key: string; exchange: Exchange }): Exchange =>
    onOutcome(exchange, ({ kind }) => {
      if (kind === 'outcome_unknown') pool.closeOwn(key);
    });

  function callOn(key: string, request: SourceRequest, exchange: Exchange, mayLookAgain: boolean): Running {
    const connection = pool.ready(key);
    if (connection !== undefined) return send(connection, key, request, exchange);
    return later(key, request, exchange, (opened) => {
      if (opened !== undefined) return send(opened, key, request, exchange);
      if (mayLookAgain) return perform(request, exchange, false);
      exchange.settle(notExecuted(notSent(name, OTHER_ERA)));
      return NOTHING_RUNS;
    });
  }

  function send(connection: Connection, key: string, request: SourceRequest, exchange: Exchange): Running {
    return withRepetition({
      request,
      exchange: request.method === 'tools/call' ? noticingUnknownTools(exchange) : exchange,
      first: (attempt) => connection.call(request, attempt),
      again(attempt) {
        repeated++;
        log.info(`a call to "${name}" is repeated`, { method: request.method, name: request.name });
        return isVetted(request) ? sendAgain(request, attempt) : vet(request, attempt, sendAgain);
      },
    });

    function sendAgain(request: SourceRequest, attempt: Exchange): Running {
      return later(key, request, attempt, (opened) => {
        if (opened !== undefined) return opened.call(request, attempt);
        attempt.settle(notExecuted(notSent(name, OTHER_ERA)));
        return NOTHING_RUNS;
      });
    }
  }

  /** A server that does not know a tool any more has changed its list, though it may not have said so. */
  const noticingUnknownTools = (exchange: Exchange): Exchange =>
    onOutcome(exchange, (outcome) => {
      if (saysUnknownTool(outcome)) void offers.changed('tools');
    });

  /** Undefined: the server speaks another era than this connection was to be for. */
  function openFor(key: string, request: SourceRequest): Promise<Connection | undefined> {
    if (life.state === 'stopped') return Promise.reject(gone());
    const open = (): Promise<Connection | undefined> =>
      pool.open(key, request).catch((error: unknown) => {
        if (error !== OTHER_ERA) throw error;
        return undefined;
      });
    const maxWaitMs = callTimeoutMs(
      request,
      Math.max(config.requestTimeoutMs, parts.connectMs),
      parts.maxCallMs,
    );
    return openPatiently(open, { life, clock, maxWaitMs });
  }

  /** What had to wait may not be what it was any more. */
  const ifStillRight = (request: SourceRequest, exchange: Exchange, start: () => Running): Running => {
    const refusal = request.recheck?.();
    if (refusal === undefined) return start();
    exchange.settle(notExecuted(refusal));
    return NOTHING_RUNS;
  };

  const later = (
    key: string,
    request: SourceRequest,
    exchange: Exchange,
    start: (connection: Connection | undefined) => Running,
  ): Running =>
    startLater(
      openFor(key, request),
      (opened) => ifStillRight(request, exchange, () => start(opened)),
      exchange,
      (error) => notSent(name, error),
    );

  /**
   * Which era to ask in is known once the main connection has been there; and what a tool is now, once it has said that:
   * one that has changed while nobody looked is not called.
   */
  const isVetted = ({ method }: SourceRequest): boolean =>
    eras.isKnown && (method !== 'tools/call' || offers.isCurrent || !parts.isWatchful());

  const vet = (
    request: SourceRequest,
    exchange: Exchange,
    start: (request: SourceRequest, exchange: Exchange) => Running,
  ): Running =>
    startLater(
      heardFor(request),
      () => ifStillRight(request, exchange, () => start(request, exchange)),
      exchange,
      (error) => notSent(name, error),
    );

  async function heardFor(request: SourceRequest): Promise<void> {
    await openFor(mainKey, request).catch((error: unknown) => {
      throw isPerCaller(config)
        ? forCaller(PincerError.from(error), parts.tokens?.of(request.caller))
        : error;
    });
    await parts.firstList();
    if (!isVetted(request)) throw life.problem ?? NOT_HEARD;
  }

  return {
    get repeated() {
      return repeated;
    },
    request: (request, exchange) =>
      isVetted(request) ? perform(request, exchange) : vet(request, exchange, perform),
  };
}

const NOT_HEARD = new PincerError('SERVER_UNREACHABLE', 'The server has not said what it offers.');
