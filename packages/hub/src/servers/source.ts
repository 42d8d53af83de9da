/** A remote MCP server as a source: its connections, what it offers, and how it lives. */
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
import { startHeartbeat, startIdleStop } from './life/heartbeat.ts';
import { createLife } from './life/life.ts';
import { notSent, noSharedWatch, createRequests } from './requests.ts';
import { createOfferKeeper } from './offer/offer-keeper.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';
import type { TokensOfServer } from './oauth/grants/tokens.ts';
import { createPool } from './pool.ts';
import { describeServer, type ServerStatus } from './server-status.ts';
import { createTail } from './stdio/tail.ts';
import { createWatch } from './watch/watch.ts';

export type { ServerState } from './life/life.ts';
export type { ServerStatus } from './server-status.ts';

/** What a server writes to stderr, and that it is connected: then it is asked for what it offers. */
export type StartEvent = { readonly stderr: ByteText } | { readonly step: 'connected' };

export interface RemoteSource extends Source {
  readonly state: ServerStatus['state'];
  /** What last went wrong and has not been put right since. */
  readonly problem: PincerError | undefined;
  readonly inFlight: number;
  /** Connects and asks what it offers; rejects when that fails. Later failures are retried by itself. */
  start(): Promise<void>;
  /** Told what happens while it starts, until the returned function is called. */
  onStarting(listener: (event: StartEvent) => void): () => void;
  /** Connects where it is not, and asks for all that it offers anew; rejects when that fails. */
  refresh(): Promise<void>;
  /** Takes over what clients wanted to hear of from the source whose place it takes. */
  succeed(predecessor: RemoteSource): void;
  /** Who wants to hear of which resources. */
  wishes(): { readonly uri: string; readonly client: Client }[];
  /** Somebody has signed in or out somewhere: it is tried again where it waits for that. */
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
  /** How long it may take to be ready for the first time, if somebody has said so. */
  readonly firstConnectMs?: number | undefined;
  /** How often it is asked what it offers though it has not said that anything changed. */
  readonly discoveryMs: number;
  /** It is stopped when nobody uses it. */
  isLazy(): boolean;
  /** Tools are looked at before they are called: they may have changed since they were last. */
  isWatchful(): boolean;
  /** Where somebody can sign in to the server. */
  readonly tokens?: TokensOfServer | undefined;
  /** Runs a connection attempt when there is room for one more. */
  readonly admit: <T>(attempt: () => Promise<T>) => Promise<T>;
  onOffer(offer: Offer): void;
  /** Gives up a call of this caller that waits for its client; false: there is none. */
  makeRoom(caller: string): boolean;
  /** It waits for a sign-in from now on. */
  onSignInNeeded?(reason: PincerError): void;
  /** The server says that one of its lists has changed; what is new has been offered by then. */
  onListChanged(kind: ListKind): void;
}

/** A session with a web server costs much less than a process. */
const SESSIONS_PER_PROCESS = 8;

export function createRemoteSource(name: string, parts: RemoteSourceParts): RemoteSource {
  const { config, limits, clock, log } = parts;
  const isProgram = isStdio(config);
  /**
   * A web server is asked in the modern era first, as the specification wants it. A program is not: some end when
   * they are asked what they do not know.
   */
  const mainKey = sharedKey(isProgram ? 'legacy' : 'modern');
  const maxOwnConnections = limits.maxOwnConnections * (isProgram ? 1 : SESSIONS_PER_PROCESS);
  const stderr = createTail(limits.stderrTailBytes);
  const startListeners = new Set<(event: StartEvent) => void>();
  /** The first question about what it offers on the main connection. */
  let firstList: Promise<void> | undefined;

  /** What did not do when it was last tried: renewed, it would not do either. */
  let refusedSignIn: string | undefined;

  const life = createLife({
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
    life,
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
      life.note(found);
      // Some let anybody in, and ask who it is when they are to list something.
      if (found?.code === 'SIGN_IN_NEEDED') pool.ready(mainKey)?.retire(found);
    },
  });
  const requests = createRequests({
    ...parts,
    name,
    mainKey,
    eras,
    life,
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
    rest: () => life.rest(),
  });

  function onNotice(method: string, params: ByteText, { owner, isMain }: NoticeOrigin): void {
    if (method === 'notifications/resources/updated') {
      if (owner === undefined) watch.updated(params);
      else owner.notify(method, params);
      return;
    }
    const kind = kindOfNotice(method);
    if (kind === undefined) return;
    // What a server tells one client, because of what that one can do, is news for the others only if they see it.
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
    if (life.problem !== undefined) throw life.problem;
  }

  return {
    name,
    get state() {
      return life.state;
    },
    get problem() {
      return life.problem;
    },
    get inFlight() {
      return pool.inFlight;
    },
    request: requests.request,
    async watch(uri, client) {
      if (isPerCaller(config)) throw noSharedWatch(name);
      await watch.subscribe(uri, client);
    },
    wishes: watch.wishes,
    succeed(predecessor) {
      for (const { uri, client } of predecessor.wishes())
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
      if (life.problem !== undefined) throw life.problem;
    },
    signedIn() {
      connector.recheckSignIns();
      const tokens = mainTokens();
      if (life.state === 'needs-sign-in' && tokens?.isSignedIn === true)
        connectIfNew(tokens).catch(() => undefined);
    },
    async stop() {
      life.stop();
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
      const heard = {
        pid,
        session,
        lastHeardAt,
        era,
        inFlight,
        repeated,
        ...offers.facts,
        stderr: stderr.text(),
      };
      return describeServer(name, config, life, heard, mainTokens());
    },
  };
}
