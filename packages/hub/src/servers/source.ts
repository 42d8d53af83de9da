/** A remote MCP server as a source: its connections, offer and lifecycle. */
import type { ServerConfig } from '../config/schema.ts';
import type { Client } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import { kindOfNotice } from '../core/notices.ts';
import type { ListKind, Offer } from '../core/catalog/offer.ts';
import type { Clock, Log, Spawn } from '../core/ports.ts';
import type { Source } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { isPerCaller, isSharedKey, sharedKey, createEras } from './connection/connection-key.ts';
import { createConnector, type NoticeOrigin, hasOwnKey, isStdio } from './connector.ts';
import { startHeartbeat, startIdleStop } from './lifecycle/heartbeat.ts';
import { createLifecycle } from './lifecycle/lifecycle.ts';
import { notSent, noSharedWatch, createRequests } from './requests.ts';
import { createOfferKeeper } from './offer/offer-keeper.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';
import type { TokensOfServer } from './oauth/grants/tokens.ts';
import { createPool } from './pool.ts';
import { describeServer, type ServerStatus } from './server-status.ts';
import { createTail } from './stdio/tail.ts';
import { createWatch } from './watch/watch.ts';

export type { ServerState } from './lifecycle/lifecycle.ts';
export type { ServerStatus } from './server-status.ts';

/** Progress of a start: output on stderr, and the connection; after that the offer is read. */
export type StartEvent = { readonly stderr: ByteText } | { readonly step: 'connected' };

export interface RemoteSource extends Source {
  readonly state: ServerStatus['state'];
  /** The last problem that is not resolved yet. */
  readonly problem: PincerError | undefined;
  readonly inFlight: number;
  /** Connects and reads the offer; rejects if that fails. Later failures are retried automatically. */
  start(): Promise<void>;
  /** Reports events of the start until the returned function is called. */
  onStarting(listener: (event: StartEvent) => void): () => void;
  /** Connects if necessary and reads the whole offer again; rejects if that fails. */
  refresh(): Promise<void>;
  /** Copies the subscriptions of the source that it replaces. */
  succeed(predecessor: RemoteSource): void;
  /** All subscriptions of clients to resources. */
  subscriptions(): { readonly uri: string; readonly client: Client }[];
  /** Called after any sign-in or sign-out: reconnects if it waits for one. */
  signedIn(): void;
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
  /** Timeout of the first connection, if set by the caller. */
  readonly firstConnectMs?: number | undefined;
  /** Interval of unprompted reads of the offer. */
  readonly discoveryMs: number;
  /** Whether it is stopped when it is not used. */
  isLazy(): boolean;
  /** Whether the tool list must be current before a call: tools may have changed since they were accepted. */
  vetsTools(): boolean;
  /** Set if the server supports signing in. */
  readonly tokens?: TokensOfServer | undefined;
  /** Runs a connection attempt when there is room for one more. */
  readonly admit: <T>(attempt: () => Promise<T>) => Promise<T>;
  onOffer(offer: Offer): void;
  /** Ends a call of this caller that waits for its client. Returns false if there is none. */
  makeRoom(caller: string): boolean;
  /** Called when it starts to wait for a sign-in. */
  onSignInNeeded?(reason: PincerError): void;
  /** Called after a list changed and the new offer was reported. */
  onListChanged(kind: ListKind): void;
}

/** A session with a web server is much cheaper than a process. */
const SESSIONS_PER_PROCESS = 8;

export function createRemoteSource(name: string, parts: RemoteSourceParts): RemoteSource {
  const { config, limits, clock, log } = parts;
  const isProgram = isStdio(config);
  /**
   * A web server gets a modern handshake first, as the specification requires. A program does not: some exit on an
   * unknown method.
   */
  const mainKey = sharedKey(isProgram ? 'legacy' : 'modern');
  const maxOwnConnections = limits.maxOwnConnections * (isProgram ? 1 : SESSIONS_PER_PROCESS);
  const stderr = createTail(limits.stderrTailBytes);
  const startListeners = new Set<(event: StartEvent) => void>();
  /** The first read of the offer on the main connection. */
  let firstList: Promise<void> | undefined;

  /** The sign-in that was refused last: a renewal of it would be refused, too. */
  let refusedSignIn: string | undefined;

  const lifecycle = createLifecycle({
    clock,
    onRetry: () => void pool.open(mainKey).catch(() => undefined),
    onSignInNeeded(reason) {
      refusedSignIn = mainTokens()?.grant?.signInId;
      parts.onSignInNeeded?.(reason);
    },
  });
  const eras = createEras(mainKey, config);
  const mainTokens = (): ServerTokens | undefined =>
    isProgram || hasOwnKey(config) ? undefined : parts.tokens?.of();
  const gone = (): PincerError => new PincerError('SERVER_UNREACHABLE', `Server "${name}" was stopped.`);
  const connector = createConnector({
    ...parts,
    name,
    mainKey,
    eras,
    lifecycle,
    stderr,
    gone,
    onNotice,
    onReady(connection, key, introduction) {
      if (key === mainKey) firstList = offers.begin(connection, introduction);
      if (isSharedKey(key)) watch.follow(connection, key === mainKey);
    },
    onClosed(connection, key) {
      pool.drop(key, connection);
      if (key === mainKey) offers.end();
    },
  });
  const pool = createPool({
    server: name,
    limits: { ...limits, maxOwnConnections },
    isShared: isSharedKey,
    connect: connector.connect,
  });
  const watch = createWatch({
    timeoutMs: config.requestTimeoutMs,
    main: () =>
      pool.open(mainKey).catch((error: unknown) => Promise.reject(notSent(name, PincerError.from(error)))),
    current: () => pool.ready(mainKey),
  });
  const offers = createOfferKeeper({
    server: name,
    timeoutMs: config.requestTimeoutMs,
    limits,
    log,
    isHttp: !isProgram,
    everyMs: parts.discoveryMs,
    now: () => clock.now(),
    onOffer: parts.onOffer,
    onProblem(found) {
      lifecycle.note(found);
      // Some servers accept a connection from anyone and require a sign-in only for lists.
      if (found?.code === 'SIGN_IN_NEEDED') pool.ready(mainKey)?.retire(found);
    },
  });
  const requests = createRequests({
    ...parts,
    name,
    mainKey,
    eras,
    lifecycle,
    pool,
    watch,
    offers,
    gone,
    maxExclusive: Math.ceil(maxOwnConnections / 2),
    connectMs: connector.connectMs,
    maxCallMs: limits.maxCallMs,
    firstList: () => firstList,
  });
  const heartbeat = startHeartbeat({
    server: name,
    everyMs: limits.heartbeatMs,
    isProgram,
    now: () => clock.now(),
    current: () => pool.ready(mainKey),
  });
  const idleStop = startIdleStop({
    idleMs: limits.serverIdleMs,
    isNeeded: () => !parts.isLazy() || pool.inFlight > 0 || watch.isWatching,
    current: () => pool.ready(mainKey),
    onIdle: () => lifecycle.idle(),
  });

  function onNotice(method: string, params: ByteText, { owner, isMain }: NoticeOrigin): void {
    if (method === 'notifications/resources/updated') {
      if (owner === undefined) watch.updated(params);
      else owner.notify(method, params);
      return;
    }
    const kind = kindOfNotice(method);
    if (kind === undefined) return;
    // A change that only one client's connection reported matters to others only if the shared lists changed.
    void offers.changed(kind).then(() => isMain && parts.onListChanged(kind));
  }

  async function connectIfNew(tokens: ServerTokens): Promise<void> {
    const grant = await tokens.look();
    if (grant !== undefined && grant.signInId !== refusedSignIn) await pool.open(mainKey);
  }

  async function start(): Promise<void> {
    await pool.open(mainKey);
    for (const listener of startListeners) listener({ step: 'connected' });
    await firstList;
    if (lifecycle.problem !== undefined) throw lifecycle.problem;
  }

  return {
    name,
    get state() {
      return lifecycle.state;
    },
    get problem() {
      return lifecycle.problem;
    },
    get inFlight() {
      return pool.inFlight;
    },
    request: requests.request,
    async watch(uri, client) {
      if (isPerCaller(config)) throw noSharedWatch(name);
      await watch.subscribe(uri, client);
    },
    subscriptions: watch.subscriptions,
    succeed(predecessor) {
      for (const { uri, client } of predecessor.subscriptions())
        watch
          .subscribe(uri, client)
          .catch((error: unknown) => log.debug(`"${name}" has no ${uri} any more`, { error: String(error) }));
    },
    forget(client) {
      watch.forget(client);
      if (client.session !== undefined) pool.closeOwn(`/${client.session}`);
    },
    tell(client, method, params) {
      if (client.session !== undefined)
        for (const connection of pool.own(`/${client.session}`)) connection.tell(method, params);
    },
    start,
    onStarting(listener) {
      startListeners.add(listener);
      const stopReading = stderr.onPush((chunk) => listener({ stderr: chunk }));
      return () => {
        startListeners.delete(listener);
        stopReading();
      };
    },
    async refresh() {
      const isNew = pool.ready(mainKey) === undefined;
      await start();
      if (!isNew) await offers.refresh();
      if (lifecycle.problem !== undefined) throw lifecycle.problem;
    },
    signedIn() {
      connector.recheckSignIns();
      const tokens = mainTokens();
      if (lifecycle.state === 'needs-sign-in' && tokens?.isSignedIn === true)
        connectIfNew(tokens).catch(() => undefined);
    },
    async stop() {
      lifecycle.stop();
      heartbeat.stop();
      idleStop.stop();
      offers.end();
      await connector.stop();
      await pool.closeAll(gone());
    },
    status: () => {
      const { inFlight } = pool;
      const main = pool.ready(mainKey);
      const { pid, session } = main ?? {};
      const lastHeardAt = main && Math.round(clock.now() - main.silentMs);
      const era = eras.spoken(mainKey === sharedKey('legacy') ? 'legacy' : 'modern');
      const { repeated } = requests;
      const facts = {
        pid,
        session,
        lastHeardAt,
        era,
        inFlight,
        repeated,
        ...offers.facts,
        stderr: stderr.text(),
      };
      return describeServer(name, config, lifecycle, facts, mainTokens());
    },
  };
}
