/** The requests to one server: on which connection each goes, what it waits for, and what is done when that is lost. */
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
import { type Life, openPatiently } from './life/life.ts';
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
  readonly life: Life;
  readonly pool: Pool;
  readonly watch: Watch;
  readonly offers: OfferKeeper;
  readonly tokens?: TokensOfServer | undefined;
  /** Connections that one caller after the other has for itself, at most. */
  readonly maxExclusive: number;
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

interface Requests {
  /** Calls that were sent a second time. */
  readonly repeated: number;
  request(request: SourceRequest, exchange: Exchange): Running;
}

const SUBSCRIPTION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

export function createRequests(parts: RequestsParts): Requests {
  const { name, config, clock, log, mainKey, eras, life, pool, watch, offers, gone } = parts;
  const exclusive = createExclusiveKeys(parts.maxExclusive);
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
      const reserved = exclusive.reserve(key, request.caller.id, exchange, () =>
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

  /** A server that does not know a tool any more has changed its list, though it may not have said so. */
  const noticeUnknownTool = (outcome: Outcome): void => {
    if (saysUnknownTool(outcome)) void offers.changed('tools');
  };

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

export interface RepeatParts {
  readonly request: SourceRequest;
  readonly exchange: Exchange;
  /** On the connection that there is. */
  first(exchange: Exchange): Running;
  /** From the beginning: the connection may be another one by now. */
  again(exchange: Exchange): Running;
  /** Sees the outcome before the caller does. */
  readonly onOutcome?: ((outcome: Outcome) => void) | undefined;
}

/**
 * A call on a connection. It is repeated once where that is certainly right: it did not run, or running it twice does no
 * harm. Not where its client was asked something meanwhile: nobody is asked twice.
 */
class RepeatedCall implements Exchange, Running {
  readonly #parts: RepeatParts;
  #running: Running = NOTHING_RUNS;
  /** Of the first attempt, where a second one is under way. */
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
      // Progress never goes back, as the specification wants it, though the work begins anew.
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
    // The wire tells first of the call, and then that the session is gone.
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
  // A server that refused with a status would refuse again, unless it was the session that it did not know.
  const wasLost = code === 'SERVER_GONE' || (code === 'SERVER_UNREACHABLE' && data?.['status'] === undefined);
  return wasLost && (outcome.kind === 'not_executed' || isRepeatable === true);
}

function progressOf(params: ByteText | undefined): number {
  const { progress } = (params === undefined ? {} : parseBytes(params)) as { progress?: unknown };
  return typeof progress === 'number' ? progress : -Infinity;
}

/** What says more than that the server cannot be had. */
const KEPT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SCOPE_NEEDED', 'SERVER_BUSY', 'SIGN_IN_NEEDED']);

const retryAfterOf = ({ data }: PincerError): { retryAfterMs: unknown } | undefined =>
  data?.['retryAfterMs'] === undefined ? undefined : { retryAfterMs: data['retryAfterMs'] };

/** Why a call never left. */
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

/** What the server says to all is not what this one has to do. */
const forCaller = (reason: PincerError, own: Pick<ServerTokens, 'hint'> | undefined): PincerError =>
  reason.code === 'SIGN_IN_NEEDED'
    ? new PincerError(reason.code, reason.message, { hint: own?.hint, data: reason.data, cause: reason })
    : reason;

/** The connection that would hear of changes is another person's. */
export const noSharedWatch = (name: string): PincerError =>
  new PincerError(
    'RESOURCE_UNKNOWN',
    `Changes of resources of "${name}" cannot be followed: everyone signs in to it for themselves.`,
    { hint: 'Read the resource when it is needed.' },
  );
