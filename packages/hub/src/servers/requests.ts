/** Requests to one server: chooses the connection, waits for it, and retries lost calls. */
import type { ServerConfig } from '../config/schema.ts';
import {
  startLater,
  onOutcome,
  NOTHING_RUNS,
  type Exchange,
  type Running,
  type SourceRequest,
  type Asked,
  type Question,
} from '../core/request.ts';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { notExecuted, type Outcome } from '../core/outcome.ts';
import type { Clock, Log } from '../core/ports.ts';
import { callTimeoutMs, saysUnknownTool } from './connection/pending-calls.ts';
import type { Connection } from './connection/connection.ts';
import { isForOneCall, isOwnKey, isPerCaller, type Eras } from './connection/connection-key.ts';
import { OTHER_ERA } from './connector.ts';
import { type Lifecycle, openWithin } from './lifecycle/lifecycle.ts';
import type { TokensOfServer } from './oauth/grants/tokens.ts';
import type { OfferKeeper } from './offer/offer-keeper.ts';
import { createExclusiveKeys, type Pool } from './pool.ts';
import { settleSubscription, type Watch } from './watch/watch.ts';
import { parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';

interface RequestsParts {
  readonly name: string;
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly mainKey: string;
  readonly eras: Eras;
  readonly lifecycle: Lifecycle;
  readonly pool: Pool;
  readonly watch: Watch;
  readonly offers: OfferKeeper;
  readonly tokens?: TokensOfServer | undefined;
  /** Connections for single calls that one caller may have. */
  readonly maxExclusive: number;
  /** Timeout of a connection attempt. */
  readonly connectMs: number;
  readonly maxCallMs: number;
  /** Whether the tool list must be current before a call: tools may have changed since they were accepted. */
  vetsTools(): boolean;
  /** Ends a call of this caller that waits for its client. Returns false if there is none. */
  makeRoom(caller: string): boolean;
  /** The first read of the offer on the main connection. */
  firstList(): Promise<void> | undefined;
  gone(): PincerError;
}

interface Requests {
  /** Calls that were sent a second time. */
  readonly repeated: number;
  request(request: SourceRequest, exchange: Exchange): Running;
}

const SUBSCRIPTION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

export function createRequests(parts: RequestsParts): Requests {
  const { name, config, clock, log, mainKey, eras, lifecycle, pool, watch, offers, gone } = parts;
  const exclusive = createExclusiveKeys(parts.maxExclusive);
  let repeated = 0;

  function perform(request: SourceRequest, exchange: Exchange, mayRetryEra = true): Running {
    const key = eras.keyFor(request);
    if (isForOneCall(key)) return callAlone(key, request, exchange, mayRetryEra);
    // A shared connection cannot tell which client a change is for.
    if (!isOwnKey(key) && SUBSCRIPTION.has(request.method)) {
      if (!isPerCaller(config)) return settleSubscription(watch, request, exchange);
      exchange.settle(notExecuted(noSharedWatch(name)));
      return NOTHING_RUNS;
    }
    return callOn(key, request, exchange, mayRetryEra);
  }

  function callAlone(key: string, request: SourceRequest, exchange: Exchange, mayRetryEra: boolean): Running {
    try {
      const reserved = exclusive.reserve(key, request.caller.id, exchange, () =>
        parts.makeRoom(request.caller.id),
      );
      return callOn(reserved.key, request, endingWith(reserved), mayRetryEra);
    } catch (error) {
      exchange.settle(notExecuted(PincerError.from(error)));
      return NOTHING_RUNS;
    }
  }

  /** The server may still send messages for a cancelled or lost call, and the next call must not get them. */
  const endingWith = ({ key, exchange }: { key: string; exchange: Exchange }): Exchange =>
    onOutcome(exchange, ({ kind }) => {
      if (kind === 'outcome_unknown') pool.closeOwn(key);
    });

  function callOn(key: string, request: SourceRequest, exchange: Exchange, mayRetryEra: boolean): Running {
    const connection = pool.ready(key);
    if (connection !== undefined) return send(connection, key, request, exchange);
    return later(key, request, exchange, (opened) => {
      if (opened !== undefined) return send(opened, key, request, exchange);
      if (mayRetryEra) return perform(request, exchange, false);
      exchange.settle(notExecuted(notSent(name, OTHER_ERA)));
      return NOTHING_RUNS;
    });
  }

  function send(connection: Connection, key: string, request: SourceRequest, exchange: Exchange): Running {
    return withRepetition({
      request,
      exchange,
      onOutcome: request.method === 'tools/call' ? noticeUnknownTool : undefined,
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

  /** A server that no longer knows a tool has changed its list, maybe without a notification. */
  const noticeUnknownTool = (outcome: Outcome): void => {
    if (saysUnknownTool(outcome)) void offers.changed('tools');
  };

  /** Resolves with undefined if the server speaks another era than this connection's. */
  function openFor(key: string, request: SourceRequest): Promise<Connection | undefined> {
    if (lifecycle.state === 'stopped') return Promise.reject(gone());
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
    return openWithin(open, { lifecycle, clock, maxWaitMs });
  }

  /** Checks a request again after it had to wait. */
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
   * The era is known after the first main connection, and the current tools after its lists. A tool that changed
   * unnoticed must not be called.
   */
  const isVetted = ({ method }: SourceRequest): boolean =>
    eras.isKnown && (method !== 'tools/call' || offers.isCurrent || !parts.vetsTools());

  const vet = (
    request: SourceRequest,
    exchange: Exchange,
    start: (request: SourceRequest, exchange: Exchange) => Running,
  ): Running =>
    startLater(
      listsFor(request),
      () => ifStillRight(request, exchange, () => start(request, exchange)),
      exchange,
      (error) => notSent(name, error),
    );

  async function listsFor(request: SourceRequest): Promise<void> {
    await openFor(mainKey, request).catch((error: unknown) => {
      throw isPerCaller(config)
        ? forCaller(PincerError.from(error), parts.tokens?.of(request.caller))
        : error;
    });
    await parts.firstList();
    if (!isVetted(request)) throw lifecycle.problem ?? NOT_LISTED;
  }

  return {
    get repeated() {
      return repeated;
    },
    request: (request, exchange) =>
      isVetted(request) ? perform(request, exchange) : vet(request, exchange, perform),
  };
}

const NOT_LISTED = new PincerError('SERVER_UNREACHABLE', 'The server has not sent its lists yet.');

export interface RepeatParts {
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  /** Starts the call on the current connection. */
  first(exchange: Exchange): Running;
  /** Starts again, possibly on another connection. */
  again(exchange: Exchange): Running;
  /** Called with the outcome before the caller gets it. */
  readonly onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/**
 * A call that is retried once if that is safe: it did not run, or is idempotent. It is not retried after a question to
 * its client, so that no person is asked twice.
 */
class RepeatedCall implements Exchange, Running {
  readonly #parts: RepeatParts;
  #running: Running = NOTHING_RUNS;
  /** Outcome of the first attempt, while the second one runs. */
  #before: Outcome | undefined;
  #isCancelled = false;
  #hasAsked = false;
  #progress: ByteText | undefined;

  constructor(parts: RepeatParts) {
    this.#parts = parts;
  }

  start(): this {
    const running = this.#parts.first(this);
    if (this.#before === undefined) this.#running = running;
    return this;
  }

  notify(method: string, params: ByteText): void {
    if (method === PROGRESS) {
      // The specification forbids progress to go back, even though the work starts again.
      if (this.#before !== undefined && progressOf(params) <= progressOf(this.#progress)) return;
      this.#progress = params;
    }
    this.#parts.exchange.notify(method, params);
  }

  ask(question: Question): Asked {
    this.#hasAsked = true;
    return this.#parts.exchange.ask(question);
  }

  settle(outcome: Outcome): void {
    if (this.#before !== undefined) return this.#settleAgain(outcome, this.#before);
    if (this.#isCancelled || this.#hasAsked || !mayRepeat(outcome, this.#parts.request))
      return this.#end(outcome);
    // The wire reports the lost call before it reports the lost session.
    queueMicrotask(() => this.#repeat(outcome));
  }

  cancel(reason: string): void {
    this.#isCancelled = true;
    this.#running.cancel(reason);
  }

  #repeat(outcome: Outcome): void {
    if (this.#isCancelled) return this.#end(outcome);
    this.#before = outcome;
    this.#running = this.#parts.again(this);
  }

  /** If the first attempt may have run, the second one cannot prove that the call did not. */
  #settleAgain(outcome: Outcome, before: Outcome): void {
    const isLost = before.kind === 'outcome_unknown' && outcome.kind === 'not_executed';
    this.#end(isLost ? before : outcome);
  }

  #end(outcome: Outcome): void {
    this.#parts.onOutcome?.(outcome);
    this.#parts.exchange.settle(outcome);
  }
}

export const withRepetition = (parts: RepeatParts): Running => new RepeatedCall(parts).start();

const PROGRESS = 'notifications/progress';

function mayRepeat(outcome: Outcome, { isRepeatable }: SourceRequest): boolean {
  if (!('reason' in outcome)) return false;
  const { code, data } = outcome.reason;
  // A server that refused with a status would refuse again, unless it did not know the session.
  const wasLost = code === 'SERVER_GONE' || (code === 'SERVER_UNREACHABLE' && data?.['status'] === undefined);
  return wasLost && (outcome.kind === 'not_executed' || isRepeatable === true);
}

function progressOf(params: ByteText | undefined): number {
  const { progress } = (params === undefined ? {} : parseBytes(params)) as { progress?: unknown };
  return typeof progress === 'number' ? progress : -Infinity;
}

/** Codes that say more than SERVER_UNREACHABLE. */
const KEPT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SCOPE_NEEDED', 'SERVER_BUSY', 'SIGN_IN_NEEDED']);

const retryAfterOf = ({ data }: PincerError): { retryAfterMs: unknown } | undefined =>
  data?.['retryAfterMs'] === undefined ? undefined : { retryAfterMs: data['retryAfterMs'] };

/** The error of a call that was never sent. */
export const notSent = (server: string, cause: PincerError): PincerError =>
  new PincerError(
    KEPT.has(cause.code) ? cause.code : 'SERVER_UNREACHABLE',
    `${cause.message} The call was not sent.`,
    {
      hint: cause.hint ?? `Run \`pincer doctor\`, then check servers.${server}.`,
      data: retryAfterOf(cause),
      cause,
    },
  );

/** Replaces the hint of a sign-in error with the one for this caller. */
const forCaller = (reason: PincerError, own: Pick<ServerTokens, 'hint'> | undefined): PincerError =>
  reason.code === 'SIGN_IN_NEEDED'
    ? new PincerError(reason.code, reason.message, { hint: own?.hint, data: reason.data, cause: reason })
    : reason;

/** With separate sign-ins, the shared connection belongs to another caller, so it cannot carry subscriptions. */
export const noSharedWatch = (name: string): PincerError =>
  new PincerError(
    'RESOURCE_UNKNOWN',
    `Resources of "${name}" cannot be subscribed to, because each caller signs in separately.`,
    { hint: 'Read the resource when it is needed.' },
  );
