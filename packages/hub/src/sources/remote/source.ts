/** A remote MCP server as a source: its connections, its life, its tools. */
import type { ServerConfig } from '../../config/schema.ts';
import type { ToolDefinition } from '../../core/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import { notExecuted } from '../../core/outcome.ts';
import type { Clock, Log, Spawn } from '../../core/ports.ts';
import type { Era } from '../../core/protocol.ts';
import type { Exchange, Running, Source, ToolRequest } from '../../core/request.ts';
import { startLater } from '../../core/start-later.ts';
import { backoffMs } from './backoff.ts';
import { coalesce } from './coalesce.ts';
import { Connection } from './connection.ts';
import { connectionKey, eraOfKey, isSharedKey, legacyKey, sharedKey } from './connection-key.ts';
import { discoverTools } from './discover-tools.ts';
import { negotiate } from './negotiate.ts';
import { isStdio, openWireFor } from './open-wire.ts';
import { createPool } from './pool.ts';
import { createTail } from './tail.ts';
import { notSent } from './not-sent.ts';

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
  /** Connects and asks for the tools; rejects when that fails. Later failures are retried by itself. */
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
  onTools(tools: readonly ToolDefinition[]): void;
}

/** `npx` may have to download the server first. */
const FIRST_START_MS = 60_000;
/** A connection that held this long starts its back-off anew. */
const STEADY_MS = 30_000;
/** A server that says that its tools have changed is asked at most this often. */
const LIST_PAUSE_MS = 250;
/** How long a server that speaks the legacy era may think about a question of the modern one. */
const MODERN_PROBE_MS = 3_000;
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
  let listAttempts = 0;
  let listRetry: NodeJS.Timeout | undefined;
  /** The first question about its tools on the main connection. */
  let firstList: Promise<void> | undefined;

  const pool = createPool({ server: name, limits, isShared: isSharedKey, connect });
  const connectMs = isStdio(config)
    ? Math.max(config.connectTimeoutMs, FIRST_START_MS)
    : config.connectTimeoutMs;
  const isStopped = (): boolean => state === 'stopped';
  const mainKey = sharedKey('legacy');
  /** Keys are made of wishes: a wish for the modern era that the server cannot fulfil joins the other one. */
  const wish = (era: Era): Era =>
    spoken.get('modern') === 'legacy' || spoken.get('legacy') === 'modern' ? 'legacy' : era;

  async function connect(key: string): Promise<Connection> {
    if (isStopped()) throw gone();
    const wanted = eraOfKey(key);
    const isMain = key === mainKey;
    if (isMain) state = 'connecting';
    try {
      const connection = await parts.admit(() => openConnection(key, wanted, isMain));
      if (isStopped()) {
        await connection.close(gone());
        throw gone();
      }
      if (connection.era === wanted || wanted === 'legacy') return connection;
      await connection.close(gone());
      return await pool.open(legacyKey(key));
    } catch (error) {
      const reason = PincerError.from(error);
      if (isMain) {
        failedAt = clock.elapsed();
        fail(reason);
      }
      throw reason;
    }
  }

  async function openConnection(key: string, wanted: Era, isMain: boolean): Promise<Connection> {
    if (isStopped()) throw gone();
    const connection = new Connection({
      server: name,
      openWire,
      clock,
      requestTimeoutMs: config.requestTimeoutMs,
      onToolsChanged: () => {
        if (isMain) void refresh(connection);
      },
      onClosed: (reason) => {
        pool.drop(key, connection);
        if (isMain && state === 'ready') onMainLost(reason, clock.elapsed() - openedAt);
      },
    });
    const openedAt = clock.elapsed();
    negotiating.add(connection);
    try {
      await negotiate(connection, name, wanted, {
        legacyMs: connectMs,
        modernMs: spoken.has('legacy') ? MODERN_PROBE_MS : connectMs,
      });
    } catch (error) {
      await connection.close(PincerError.from(error));
      throw error;
    } finally {
      negotiating.delete(connection);
    }
    spoken.set(wanted, connection.era);
    if (isMain) {
      state = 'ready';
      problem = undefined;
      log.info(`server "${name}" is ready`, { era: connection.era });
      firstList = refresh(connection);
    }
    return connection;
  }

  /** Never fails: what went wrong is the server's problem until the next question is answered. */
  const refresh = coalesce(async (connection: Connection) => {
    try {
      parts.onTools(await discoverTools(connection, config.requestTimeoutMs, limits));
      problem = undefined;
      listAttempts = 0;
      clearTimeout(listRetry);
    } catch (error) {
      // Of a connection that is gone, its loss is the problem, and that is told already.
      if (!connection.isOpen) return;
      problem = PincerError.from(error);
      log.warn(`server "${name}" did not list its tools`, { error: problem.message });
      clearTimeout(listRetry);
      listRetry = setTimeout(
        () => void refresh(connection),
        backoffMs(listAttempts++, Math.random()),
      ).unref();
    }
  }, LIST_PAUSE_MS);

  function onMainLost(reason: PincerError, heldMs: number): void {
    clearTimeout(listRetry);
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

  return {
    name,
    get state() {
      return state;
    },
    get problem() {
      return problem;
    },
    request(request: ToolRequest, exchange: Exchange): Running {
      const key = connectionKey(request, wish(request.era), config.isolation);
      const connection = pool.ready(key);
      if (connection !== undefined) return connection.call(request, exchange);
      if (isStopped() || (problem !== undefined && clock.elapsed() - failedAt < FAIL_FAST_MS)) {
        exchange.settle(notExecuted(isStopped() ? gone() : notSent(name, problem!)));
        return { cancel: () => undefined };
      }
      return startLater(
        pool.open(key),
        (opened) => opened.call(request, exchange),
        exchange,
        (error) => notSent(name, error),
      );
    },
    async start() {
      await pool.open(mainKey);
      await firstList;
      if (problem !== undefined) throw problem;
    },
    async stop() {
      state = 'stopped';
      clearTimeout(retry);
      clearTimeout(listRetry);
      await Promise.allSettled([...negotiating].map((connection) => connection.close(gone())));
      await pool.closeAll(gone());
    },
    status: () => ({
      name,
      state,
      transport: isStdio(config) ? 'stdio' : 'http',
      target: config.shown,
      era: spoken.get('legacy'),
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
