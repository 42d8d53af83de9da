/** A remote MCP server as a source: its connections, its life, what it offers. */
import type { ServerConfig } from '../../config/schema.ts';
import { NO_ABILITIES, type Client } from '../../core/client.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { kindOfNotice } from '../../core/notices.ts';
import type { ListKind, Offer } from '../../core/offer.ts';
import { notExecuted } from '../../core/outcome.ts';
import type { Clock, Log, Spawn } from '../../core/ports.ts';
import type { Era } from '../../core/protocol.ts';
import type { Exchange, Running, Source, SourceRequest } from '../../core/request.ts';
import { startLater } from '../../core/start-later.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';
import { backoffMs } from './backoff.ts';
import { Connection } from './connection.ts';
import {
  connectionKey,
  declaredAbilities,
  eraOfKey,
  isForOneCall,
  isOwnKey,
  isSharedKey,
  sharedKey,
} from './connection-key.ts';
import { createLoneKeys } from './lone-keys.ts';
import { negotiate, type Introduction } from './negotiate.ts';
import { notSent } from './not-sent.ts';
import { createOfferKeeper } from './offer-keeper.ts';
import { isStdio, openWireFor } from './open-wire.ts';
import { createPool } from './pool.ts';
import { settleSubscription } from './subscription-answer.ts';
import { createTail } from './tail.ts';
import { createWatch } from './watch.ts';

export type ServerState = 'idle' | 'connecting' | 'ready' | 'backoff' | 'stopped';

export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly transport: 'http' | 'stdio';
  readonly target: string;
  readonly era: Era | undefined;
  /** Of a stdio server that runs. */
  readonly pid: number | undefined;
  readonly inFlight: number;
  readonly error:
    | { readonly code: string; readonly message: string; readonly hint: string | undefined }
    | undefined;
  readonly stderr: string;
}

export interface RemoteSource extends Source {
  readonly state: ServerState;
  /** What last went wrong and has not been put right since. */
  readonly problem: PincerError | undefined;
  /** Connects and asks what it offers; rejects when that fails. Later failures are retried by itself. */
  start(): Promise<void>;
  stop(): Promise<void>;
  status(): ServerStatus;
}

export interface RemoteSourceParts {
  readonly config: ServerConfig;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly spawn: Spawn;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs a connection attempt when there is room for one more. */
  readonly admit: <T>(attempt: () => Promise<T>) => Promise<T>;
  onOffer(offer: Offer): void;
  /** Gives up a call of this caller that waits for its client; false: there is none. */
  makeRoom(caller: string): boolean;
  /** The server says that one of its lists has changed; what is new has been offered by then. */
  onListChanged(kind: ListKind): void;
}

/** `npx` may have to download the server first. */
const FIRST_START_MS = 60_000;
/** A connection that held this long starts its back-off anew. */
const STEADY_MS = 30_000;
/** How long a server that speaks one era may think about a question of the other. */
const OTHER_ERA_PROBE_MS = 3_000;
/** A session with a web server costs much less than a process. */
const SESSIONS_PER_PROCESS = 8;
/** A call does not try again what has failed this recently. */
const FAIL_FAST_MS = 1_000;

export function createRemoteSource(name: string, parts: RemoteSourceParts): RemoteSource {
  const { config, limits, clock, log } = parts;
  const stderr = createTail(limits.stderrTailBytes);
  const openWire = openWireFor({ ...parts, server: name, stderr });
  /** The era that a wish for one turned out to be. */
  const spoken = new Map<Era, Era>();
  const negotiating = new Set<Connection>();
  let state: ServerState = 'idle';
  let problem: PincerError | undefined;
  /** When an attempt to connect last failed; losing a connection is no such attempt. */
  let failedAt = -Infinity;
  let attempts = 0;
  let retry: NodeJS.Timeout | undefined;
  /** The first question about what it offers on the main connection. */
  let firstList: Promise<void> | undefined;

  /**
   * A web server is asked in the modern era first, as the specification wants it. A program is not: some end when
   * they are asked what they do not know.
   */
  const mainKey = sharedKey(isStdio(config) ? 'legacy' : 'modern');
  const maxOwnConnections = limits.maxOwnConnections * (isStdio(config) ? 1 : SESSIONS_PER_PROCESS);
  const pool = createPool({
    server: name,
    limits: { ...limits, maxOwnConnections },
    isShared: isSharedKey,
    connect,
  });
  const watch = createWatch({
    timeoutMs: config.requestTimeoutMs,
    main: () =>
      pool.open(mainKey).catch((error: unknown) => Promise.reject(notSent(name, PincerError.from(error)))),
    current: () => pool.ready(mainKey),
  });
  const lone = createLoneKeys(Math.ceil(maxOwnConnections / 2));
  const offers = createOfferKeeper({
    server: name,
    timeoutMs: config.requestTimeoutMs,
    limits,
    log,
    isHttp: !isStdio(config),
    onOffer: parts.onOffer,
    onProblem(found) {
      problem = found;
    },
  });
  const connectMs = isStdio(config)
    ? Math.max(config.connectTimeoutMs, FIRST_START_MS)
    : config.connectTimeoutMs;
  const isStopped = (): boolean => state === 'stopped';

  /** A wish that the server cannot fulfil is one for the era that it speaks. */
  function keyFor(request: SourceRequest): string {
    const key = connectionKey(request, spoken.get(request.era) ?? request.era, config);
    return isSharedKey(key) && eraOfKey(key) === spoken.get(eraOfKey(mainKey)) ? mainKey : key;
  }

  /** How long a question in this era may take. */
  const patience = (era: Era): number =>
    spoken.size > 0 && ![...spoken.values()].includes(era) ? OTHER_ERA_PROBE_MS : connectMs;

  async function connect(key: string, request: SourceRequest | undefined): Promise<Connection> {
    if (isStopped()) throw gone();
    const wanted = eraOfKey(key);
    const isMain = key === mainKey;
    if (isMain) state = 'connecting';
    try {
      const connection = await parts.admit(() => openConnection(key, wanted, request?.client));
      if (isStopped()) {
        await connection.close(gone());
        throw gone();
      }
      if (connection.era === wanted || isMain || request === undefined) return connection;
      await connection.close(gone());
    } catch (error) {
      const reason = PincerError.from(error);
      if (isMain) {
        failedAt = clock.elapsed();
        fail(reason);
      }
      if (isMain || request === undefined || !diesOfTheModernEra(wanted)) throw reason;
      spoken.set('modern', 'legacy');
    }
    throw OTHER_ERA;
  }

  /** A program that is known to speak the legacy era may end when it is asked in the other. */
  const diesOfTheModernEra = (wanted: Era): boolean =>
    wanted === 'modern' && spoken.get('legacy') === 'legacy' && !spoken.has('modern') && !isStopped();

  async function openConnection(key: string, wanted: Era, client: Client | undefined): Promise<Connection> {
    if (isStopped()) throw gone();
    const isMain = key === mainKey;
    const isShared = isSharedKey(key);
    // A connection that several sessions may use is nobody's own.
    const owner = isOwnKey(key) ? client : undefined;
    const abilities =
      isShared || client === undefined ? NO_ABILITIES : declaredAbilities(client.abilities, config.roots);
    const connection: Connection = new Connection({
      server: name,
      openWire,
      clock,
      requestTimeoutMs: config.requestTimeoutMs,
      questionTimeoutMs: limits.questionTimeoutMs,
      owner,
      abilities,
      onNotice: (method, params) => onNotice(method, params, owner),
      onClosed: (reason) => {
        pool.drop(key, connection);
        if (isMain && state === 'ready') onMainLost(reason, clock.elapsed() - openedAt);
      },
    });
    const openedAt = clock.elapsed();
    negotiating.add(connection);
    let introduction: Introduction;
    try {
      introduction = await negotiate(connection, name, wanted, {
        legacyMs: patience('legacy'),
        modernMs: patience('modern'),
        capabilities: abilities.raw,
      });
    } catch (error) {
      await connection.close(PincerError.from(error));
      throw error;
    } finally {
      negotiating.delete(connection);
    }
    // What was learned of it in an earlier life may no longer be so.
    spoken.set(wanted, connection.era).set(connection.era, connection.era);
    if (isMain) {
      state = 'ready';
      problem = undefined;
      log.info(`server "${name}" is ready`, { era: connection.era });
      firstList = offers.begin(connection, introduction);
    }
    if (isShared && (isMain || connection.era === wanted)) watch.follow(connection, isMain);
    return connection;
  }

  function onNotice(method: string, params: ByteText, owner: Client | undefined): void {
    if (method === 'notifications/resources/updated') {
      if (owner === undefined) watch.updated(params);
      else owner.notify(method, params);
      return;
    }
    const kind = kindOfNotice(method);
    if (kind !== undefined) void offers.changed(kind).then(() => parts.onListChanged(kind));
  }

  function onMainLost(reason: PincerError, heldMs: number): void {
    offers.end();
    // What comes back may be another version of it.
    spoken.delete(eraOfKey(mainKey) === 'legacy' ? 'modern' : 'legacy');
    if (heldMs >= STEADY_MS) attempts = 0;
    // One that keeps dying as soon as it lives is not started anew by every call.
    if (attempts > 0 && heldMs < FAIL_FAST_MS) failedAt = clock.elapsed();
    log.warn(`server "${name}" is gone`, { reason: reason.message });
    fail(reason);
  }

  function fail(error: PincerError): void {
    if (isStopped()) return;
    problem = error;
    state = 'backoff';
    clearTimeout(retry);
    const delay = backoffMs(attempts++, Math.random());
    retry = setTimeout(() => void pool.open(mainKey).catch(() => undefined), delay).unref();
  }

  const gone = (): PincerError => new PincerError('SERVER_UNREACHABLE', `Server "${name}" was stopped.`);

  function perform(request: SourceRequest, exchange: Exchange, mayLookAgain = true): Running {
    const key = keyFor(request);
    if (isForOneCall(key)) return callAlone(key, request, exchange, mayLookAgain);
    // What is nobody's own cannot tell whom a change is for.
    if (!isOwnKey(key) && SUBSCRIPTION.has(request.method))
      return settleSubscription(watch, request, exchange);
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
      return { cancel: () => undefined };
    }
  }

  /** A call that was cancelled or lost may still have something to say, and the next one must not hear it. */
  const endingWith = ({ key, exchange }: { key: string; exchange: Exchange }): Exchange => ({
    notify: (method, params) => exchange.notify(method, params),
    ask: (question) => exchange.ask(question),
    settle(outcome) {
      if (outcome.kind === 'outcome_unknown') pool.closeOwn(key);
      exchange.settle(outcome);
    },
  });

  function callOn(key: string, request: SourceRequest, exchange: Exchange, mayLookAgain: boolean): Running {
    const connection = pool.ready(key);
    if (connection !== undefined) return connection.call(request, exchange);
    return later(key, request, exchange, (opened) => {
      if (opened !== undefined) return opened.call(request, exchange);
      if (mayLookAgain) return perform(request, exchange, false);
      exchange.settle(notExecuted(notSent(name, OTHER_ERA)));
      return { cancel: () => undefined };
    });
  }

  function later(
    key: string,
    request: SourceRequest,
    exchange: Exchange,
    start: (connection: Connection | undefined) => Running,
  ): Running {
    if (isStopped() || (problem !== undefined && clock.elapsed() - failedAt < FAIL_FAST_MS)) {
      exchange.settle(notExecuted(isStopped() ? gone() : notSent(name, problem!)));
      return { cancel: () => undefined };
    }
    const opened = pool.open(key, request).catch((error: unknown) => {
      if (error !== OTHER_ERA) throw error;
      return undefined;
    });
    return startLater(opened, start, exchange, (error) => notSent(name, error));
  }

  return {
    name,
    get state() {
      return state;
    },
    get problem() {
      return problem;
    },
    request: (request, exchange) =>
      // Which era to ask in is known once the main connection has been there.
      spoken.size === 0
        ? later(mainKey, request, exchange, () => perform(request, exchange))
        : perform(request, exchange),
    watch: (uri, client) => watch.subscribe(uri, client).then(() => undefined),
    forget(client) {
      watch.forget(client);
      if (client.session !== undefined) pool.closeOwn(`/${client.session}`);
    },
    tell(client, method, params) {
      if (client.session !== undefined)
        for (const connection of pool.own(`/${client.session}`)) connection.tell(method, params);
    },
    async start() {
      await pool.open(mainKey);
      await firstList;
      if (problem !== undefined) throw problem;
    },
    async stop() {
      state = 'stopped';
      clearTimeout(retry);
      offers.end();
      await Promise.allSettled([...negotiating].map((connection) => connection.close(gone())));
      await pool.closeAll(gone());
    },
    status: () => ({
      name,
      state,
      transport: isStdio(config) ? 'stdio' : 'http',
      target: config.shown,
      era: spoken.get(eraOfKey(mainKey)),
      pid: pool.ready(mainKey)?.pid,
      inFlight: pool.inFlight,
      error: problem && {
        code: problem.code,
        message: problem.message,
        hint: problem.hint,
      },
      stderr: stderr.text(),
    }),
  };
}

const SUBSCRIPTION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** Whoever waited for the connection looks again: each for the one that is right for it in the era that there is. */
const OTHER_ERA = new PincerError(
  'SERVER_PROTOCOL',
  'The server speaks another era each time that it is asked.',
);
