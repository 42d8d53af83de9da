/** All configured servers: which run, which are disabled, and what a changed configuration changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { failedError, type FailedServer } from '../../core/config-problem.ts';
import { SOFT_SETTINGS, type ServerConfig } from '../../config/schema.ts';
import { PincerError } from '../../core/errors.ts';
import type { Limits } from '../../core/limits.ts';
import type { Log } from '../../core/ports.ts';
import { hasOwnKey } from '../connector.ts';
import { describeFailed, describeOff, type ServerStatus } from '../server-status.ts';
import type { RemoteSource, ServerState, StartEvent } from '../source.ts';

export interface Fleet {
  /** The enabled servers, in the order of the configuration. */
  readonly running: ReadonlyMap<string, ServerConfig>;
  source(name: string): RemoteSource | undefined;
  sources(): Iterable<RemoteSource>;
  /** Starts, stops and changes only the servers that differ; calls under way continue. */
  reconcile(servers: Readonly<Record<string, ServerConfig>>, failed?: readonly FailedServer[]): Difference;
  /** Why a server cannot run as configured; undefined if it can, or if it is unknown. */
  failure(name: string): PincerError | undefined;
  /** Connects to a server that is not configured yet. Keeps it if that succeeds, or if it waits for a sign-in. */
  add(name: string, config: ServerConfig, options?: AddOptions): Promise<void>;
  readonly isAdding: boolean;
  /** Stops a server until it is reconnected or the hub restarts. Returns whether it ran. */
  disconnect(name: string): boolean;
  /** Starts a disconnected server again. */
  reconnect(name: string): void;
  /** Connects in the background: at once to servers that never sent their lists, later to others that should run. */
  connectAll(knownAfterMs?: number): void;
  statuses(): ServerStatus[];
  /**
   * Resolves when the wanted servers have sent their lists, have failed, or are out of time; undefined if there is
   * nothing to wait for. The time is `limits.listWaitMs` in total, or `waitMs` from now.
   */
  whenKnown(isWanted: (name: string) => boolean, waitMs?: number): Promise<void> | undefined;
  stop(): Promise<void>;
}

export interface AddOptions {
  /** Aborting stops the server, does not keep it, and rejects `add` with CALL_CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the first connection, overriding the configuration. */
  readonly firstConnectMs?: number | undefined;
  onStarting?(event: StartEvent): void;
}

interface SourceTerms extends Pick<AddOptions, 'firstConnectMs'> {
  /** A predecessor that has to end before this source may connect. */
  readonly after?: Promise<void> | undefined;
}

export interface FleetParts {
  readonly limits: Limits;
  readonly log: Log;
  now(): number;
  /** Whether the server's lists are known, now or from an earlier run. */
  isKnown(name: string): boolean;
  createSource(name: string, config: ServerConfig, terms: SourceTerms): RemoteSource;
  /** The set of running servers, or a setting, has changed. */
  onConfigured(running: ReadonlyMap<string, ServerConfig>): void;
}

export function createFleet(parts: FleetParts): Fleet {
  const { limits, log } = parts;
  /** As configured; `configs` is derived from it. */
  let written: Readonly<Record<string, ServerConfig>> = {};
  /** Servers with invalid settings, and since when. */
  let failed: ReadonlyMap<string, { readonly server: FailedServer; readonly since: number }> = new Map();
  /** Servers that a person disconnected for now, regardless of the configuration. */
  const disconnected = new Set<string>();
  let configs: ReadonlyMap<string, ServerConfig> = new Map();
  let running: ReadonlyMap<string, ServerConfig> = new Map();
  const offSince = new Map<string, number>();
  const sources = new Map<string, RemoteSource>();
  /** Attempts under way, so that a list can wait for them. */
  const starting = new Map<RemoteSource, Promise<void>>();
  /** Removed sources; their calls under way may still end. */
  const retiring = new Map<RemoteSource, Promise<void>>();
  let startingKnown: NodeJS.Timeout | undefined;
  const awaitedSince = new WeakMap<RemoteSource, number>();
  /** Not configured yet: a reload must not remove them. */
  const adding = new Set<string>();

  function start(source: RemoteSource): Promise<void> {
    const underWay = starting.get(source);
    if (underWay !== undefined) return underWay;
    const attempt = source.start().finally(() => starting.delete(source));
    starting.set(source, attempt);
    attempt.catch((error: unknown) =>
      log.warn(`server "${source.name}" could not be started`, { error: PincerError.from(error).message }),
    );
    return attempt;
  }

  /** How long lists have waited for a server in total; a new list does not restart the wait. */
  function waitedFor(source: RemoteSource): number {
    const since = awaitedSince.get(source) ?? parts.now();
    awaitedSince.set(source, since);
    return parts.now() - since;
  }

  const startIfWanted = (name: string): void => {
    const source = sources.get(name);
    // A server that waits for a sign-in is notified of it; connecting would only show a wrong state.
    if (source === undefined || source.state === 'needs-sign-in') return;
    if (running.get(name)?.start === 'eager' || !parts.isKnown(name)) start(source).catch(() => undefined);
  };

  /** Ends a source after its calls. Returns what a successor has to wait for. */
  function end(name: string): Promise<void> | undefined {
    const source = sources.get(name);
    if (source === undefined) return undefined;
    sources.delete(name);
    const { ended, isFree } = retire(source, limits.drainMs);
    retiring.set(source, ended);
    void ended.finally(() => retiring.delete(source));
    return isFree ? ended : undefined;
  }

  function keep(next: ReadonlyMap<string, ServerConfig>): void {
    configs = next;
    running = new Map([...next].filter(([, { enabled }]) => enabled));
    for (const [name] of next)
      if (running.has(name)) offSince.delete(name);
      else if (!offSince.has(name)) offSince.set(name, parts.now());
    for (const name of offSince.keys()) if (!next.has(name)) offSince.delete(name);
  }

  function reconcile(
    servers: Readonly<Record<string, ServerConfig>>,
    wrong: readonly FailedServer[] = [...failed.values()].map(({ server }) => server),
  ): Difference {
    written = servers;
    failed = new Map(
      wrong.map((server) => [server.name, { server, since: failed.get(server.name)?.since ?? parts.now() }]),
    );
    const next = new Map(
      Object.entries(servers).map(([name, config]) => [
        name,
        disconnected.has(name) ? { ...config, enabled: false } : config,
      ]),
    );
    for (const name of adding) {
      const config = configs.get(name);
      if (config !== undefined && !next.has(name)) next.set(name, config);
    }
    const difference = compareServers(configs, next);
    const { removed, restarted } = difference;
    keep(next);
    const before = new Map(sources);
    const waits = new Map([...removed, ...restarted].map((name) => [name, end(name)]));
    for (const [name, config] of running)
      if (!sources.has(name)) sources.set(name, parts.createSource(name, config, { after: waits.get(name) }));
    parts.onConfigured(running);
    for (const name of restarted) sources.get(name)!.succeed(before.get(name)!);
    return difference;
  }

  return {
    get running() {
      return running;
    },
    source: (name) => sources.get(name),
    sources: () => sources.values(),
    reconcile,
    failure(name) {
      const server = failed.get(name)?.server;
      return server?.enabled === true ? failedError(server) : undefined;
    },
    get isAdding() {
      return adding.size > 0;
    },
    async add(name, config, { signal, firstConnectMs, onStarting } = {}) {
      if (configs.has(name))
        throw new PincerError('SERVER_EXISTS', `A server "${name}" is configured already.`, {
          hint: 'Choose another name.',
        });
      adding.add(name);
      keep(new Map([...configs, [name, config]]));
      const source = parts.createSource(name, config, { firstConnectMs });
      sources.set(name, source);
      using undo = new DisposableStack();
      if (onStarting !== undefined) undo.defer(source.onStarting(onStarting));
      const stop = (): void => void source.stop();
      signal?.addEventListener('abort', stop);
      undo.defer(() => signal?.removeEventListener('abort', stop));
      try {
        parts.onConfigured(running);
        signal?.throwIfAborted();
        await start(source);
        signal?.throwIfAborted();
      } catch (error) {
        // Keep it: a person can only sign in to a server that exists.
        if (waitsForSignIn(error, config) && signal?.aborted !== true) throw error;
        adding.delete(name);
        // An edit may have added another server of this name meanwhile.
        if (sources.get(name) === source) {
          keep(new Map([...configs].filter(([other]) => other !== name)));
          const ended = end(name);
          parts.onConfigured(running);
          await ended;
        }
        throw signal?.aborted === true ? addCancelled(name) : error;
      } finally {
        adding.delete(name);
      }
    },
    connectAll(knownAfterMs = 0) {
      const names = [...running.keys()];
      const known = names.filter((name) => knownAfterMs > 0 && parts.isKnown(name));
      for (const name of names) if (!known.includes(name)) startIfWanted(name);
      clearTimeout(startingKnown);
      startingKnown = setTimeout(() => known.forEach(startIfWanted), knownAfterMs).unref();
    },
    disconnect(name) {
      if (!running.has(name)) return false;
      disconnected.add(name);
      written = { ...Object.fromEntries(configs), ...written };
      reconcile(written);
      return true;
    },
    reconnect(name) {
      if (disconnected.delete(name)) reconcile(written);
    },
    statuses: () => [
      ...[...configs].flatMap(([name, config]) => {
        const since = offSince.get(name);
        if (since === undefined) return sources.get(name)?.status() ?? [];
        return describeOff(name, config, disconnected.has(name) ? 'stopped' : 'disabled', since);
      }),
      ...[...failed.values()]
        .filter(({ server }) => !configs.has(server.name))
        .map(({ server, since }) => describeFailed(server, since)),
    ],
    whenKnown(isWanted, waitMs) {
      const unknown = [...sources.values()].filter(
        ({ name, state, problem }) => isWanted(name) && !parts.isKnown(name) && isStillComing(state, problem),
      );
      const leftMs = Math.max(0, ...unknown.map((source) => waitMs ?? limits.listWaitMs - waitedFor(source)));
      if (leftMs === 0) return undefined;
      const listed = Promise.allSettled(unknown.map(start));
      return Promise.race([listed, sleep(leftMs, undefined, { ref: false })]).then(() => undefined);
    },
    async stop() {
      clearTimeout(startingKnown);
      await Promise.allSettled([...sources.values(), ...retiring.keys()].map((source) => source.stop()));
      await Promise.allSettled(retiring.values());
    },
  };
}

/** Whether a server that has not sent its lists may do so soon. */
const isStillComing = (state: ServerState, problem: PincerError | undefined): boolean =>
  state === 'idle' || state === 'connecting' || (state === 'ready' && problem === undefined);

const addCancelled = (name: string): PincerError =>
  new PincerError('CALL_CANCELLED', `Adding "${name}" was cancelled.`);

const waitsForSignIn = (error: unknown, config: ServerConfig): boolean =>
  PincerError.is(error) && error.code === 'SIGN_IN_NEEDED' && !hasOwnKey(config);

const POLL_MS = 20;

/** Ends a source after its calls under way; it gets no new calls. `isFree` if it had none. */
function retire(source: RemoteSource, drainMs: number): { ended: Promise<void>; isFree: boolean } {
  const isFree = source.inFlight === 0;
  return { ended: isFree ? source.stop() : drain(source, drainMs), isFree };
}

async function drain(source: RemoteSource, drainMs: number): Promise<void> {
  for (let waited = 0; source.inFlight > 0 && waited < drainMs; waited += POLL_MS) await sleep(POLL_MS);
  await source.stop();
}

/** What a new configuration changes. */
export interface Difference {
  readonly added: readonly string[];
  /** No longer configured, or disabled. */
  readonly removed: readonly string[];
  /** Any setting has changed. */
  readonly changed: readonly string[];
  /** The changed ones that need a new connection. */
  readonly restarted: readonly string[];
  readonly unchanged: readonly string[];
}

type Servers = ReadonlyMap<string, ServerConfig>;

/** Settings that do not affect the connection. */
const SOFT: ReadonlySet<string> = new Set<keyof ServerConfig>([
  ...SOFT_SETTINGS,
  'identity',
  'origin',
  'shown',
]);

export function compareServers(before: Servers, after: Servers): Difference {
  const isOn = (servers: Servers, name: string): boolean => servers.get(name)?.enabled === true;
  const names = [...after.keys()];
  const kept = names.filter((name) => isOn(before, name) && isOn(after, name));
  const changed = kept.filter((name) => textOf(before.get(name)!) !== textOf(after.get(name)!));
  const restarted = changed.filter((name) => hardTextOf(before.get(name)!) !== hardTextOf(after.get(name)!));
  return {
    added: names.filter((name) => isOn(after, name) && !isOn(before, name)),
    removed: [...before.keys()].filter((name) => isOn(before, name) && !isOn(after, name)),
    changed,
    restarted,
    unchanged: kept.filter((name) => !changed.includes(name)),
  };
}

const textOf = (config: ServerConfig): string => JSON.stringify(Object.entries(config).toSorted(byKey));

const hardTextOf = (config: ServerConfig): string =>
  JSON.stringify(
    Object.entries(config)
      .filter(([key]) => !SOFT.has(key))
      .toSorted(byKey),
  );

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
