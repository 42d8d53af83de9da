/** Opens the connections of one server: negotiates the era and reports the result to its lifecycle. */
import type { ServerConfig } from '../config/schema.ts';
import { clientOf } from '../core/call/task-ids.ts';
import { NO_ABILITIES, type Client } from '../core/client.ts';
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { Clock, Log, Spawn } from '../core/ports.ts';
import type { Era } from '../core/protocol.ts';
import type { SourceRequest } from '../core/request.ts';
import type { ByteText } from '../core/wire/byte-text.ts';
import { callTimeoutMs } from './connection/pending-calls.ts';
import { Connection } from './connection/connection.ts';
import {
  declaredAbilities,
  eraOfKey,
  isForOneCall,
  isOwnKey,
  isSharedKey,
  isPerCaller,
  type Eras,
} from './connection/connection-key.ts';
import type { Lifecycle } from './lifecycle/lifecycle.ts';
import { negotiate, type Introduction } from './negotiate.ts';
import type { TokensOfServer, TokenOwner } from './oauth/grants/tokens.ts';
import type { Tail } from './stdio/tail.ts';
import type { OpenWire } from './wire.ts';
import { signInOver } from './http/http-failure.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';
import { childEnvironment } from '../owner/child-environment.ts';
import { planLaunch } from './stdio/plan-launch.ts';
import { openStdioWire } from './stdio/stdio-wire.ts';
import { openWebWire } from './http/web-wire.ts';

interface ConnectorParts {
  readonly name: string;
  readonly mainKey: string;
  readonly config: ServerConfig;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Log;
  readonly spawn: Spawn;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Timeout of the first connection, if set by the caller. */
  readonly firstConnectMs?: number | undefined;
  readonly eras: Eras;
  readonly lifecycle: Lifecycle;
  readonly stderr: Tail;
  /** Set if the server supports signing in. */
  readonly tokens?: TokensOfServer | undefined;
  readonly admit: <T>(attempt: () => Promise<T>) => Promise<T>;
  gone(): PincerError;
  /** A notification that belongs to no call. */
  onNotice(method: string, params: ByteText, from: NoticeOrigin): void;
  /** Called when a connection is usable. */
  onReady(connection: Connection, key: string, introduction: Introduction): void;
  onClosed(connection: Connection, key: string): void;
}

export interface NoticeOrigin {
  /** The client that the connection belongs to. */
  readonly owner: Client | undefined;
  readonly isMain: boolean;
}

interface Connector {
  /** Timeout of a connection attempt. */
  readonly connectMs: number;
  /** Rejects with OTHER_ERA if the server speaks another era than the connection's. */
  connect(key: string, request: SourceRequest | undefined): Promise<Connection>;
  /** After a sign-in or sign-out: retires connections whose sign-in has ended. */
  recheckSignIns(): void;
  /** Aborts the negotiations under way. */
  stop(): Promise<void>;
}

/** `npx` may have to download the server first. */
const FIRST_START_MS = 60_000;

/** Callers that waited for the connection choose again, now for the era that the server speaks. */
export const OTHER_ERA = new PincerError(
  'SERVER_PROTOCOL',
  'The server answers in another era each time it is asked.',
);

export function createConnector(parts: ConnectorParts): Connector {
  const { name, mainKey, config, limits, clock, log, eras, lifecycle, gone } = parts;
  const wires = createWires(parts);
  const signed = createSignedConnections(name);
  const negotiating = new Set<Connection>();
  /** Rejects the attempts under way when the source is stopped, so that no caller waits for its turn. */
  const giveUps = new Set<(reason: PincerError) => void>();
  const connectMs = isStdio(config)
    ? Math.max(config.connectTimeoutMs, FIRST_START_MS)
    : config.connectTimeoutMs;
  const isStopped = (): boolean => lifecycle.state === 'stopped';

  async function connect(key: string, request: SourceRequest | undefined): Promise<Connection> {
    if (isStopped()) throw gone();
    const wanted = eraOfKey(key);
    const isMain = key === mainKey;
    if (isMain) lifecycle.connecting();
    try {
      const connection = await unlessStopped(parts.admit(() => open(key, wanted, request)));
      if (isStopped()) {
        await connection.close(gone());
        throw gone();
      }
      if (connection.era === wanted || isMain || request === undefined) return connection;
      await connection.close(gone());
    } catch (error) {
      const reason = PincerError.from(error);
      if (isMain) lifecycle.failed(reason);
      if (isMain || request === undefined || !eras.mayCrashOn(wanted) || isStopped()) throw reason;
      eras.learn('modern', 'legacy');
    }
    throw OTHER_ERA;
  }

  /** Not a race with one promise of the whole lifetime: that would keep every connection in memory. */
  function unlessStopped<T>(attempt: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      giveUps.add(reject);
      void attempt.then(resolve, reject).finally(() => giveUps.delete(reject));
    });
  }

  async function open(key: string, wanted: Era, request: SourceRequest | undefined): Promise<Connection> {
    if (isStopped()) throw gone();
    const client = request?.client;
    const isMain = key === mainKey;
    // A connection that several sessions may use has no owner.
    const owner = isOwnKey(key) && request !== undefined ? clientOf(request) : undefined;
    const abilities =
      isSharedKey(key) || client === undefined
        ? NO_ABILITIES
        : declaredAbilities(client.abilities, config.roots);
    const connection: Connection = new Connection({
      server: name,
      openWire: wires.of(isSharedKey(key) ? undefined : request?.caller),
      clock,
      requestTimeoutMs: config.requestTimeoutMs,
      maxCallMs: limits.maxCallMs,
      questionTimeoutMs: limits.questionTimeoutMs,
      owner,
      abilities,
      roots: !abilities.roots ? undefined : isForOneCall(key) ? 'of-each-call' : 'of-owner',
      onNotice: (method, params) => parts.onNotice(method, params, { owner, isMain }),
      onClosed: (reason) => {
        signed.drop(connection);
        parts.onClosed(connection, key);
        if (isMain && lifecycle.state === 'ready') onMainLost(reason, clock.elapsed() - openedAt);
      },
    });
    const openedAt = clock.elapsed();
    const introduction = await introduce(connection, wanted, { capabilities: abilities.raw, request });
    signed.add(connection, parts.tokens?.of(isSharedKey(key) ? undefined : request?.caller));
    eras.learn(wanted, connection.era);
    if (isMain) {
      lifecycle.ready();
      log.info(`server "${name}" is ready`, { era: connection.era });
    }
    if (isMain || connection.era === wanted) parts.onReady(connection, key, introduction);
    return connection;
  }

  async function introduce(
    connection: Connection,
    wanted: Era,
    { capabilities, request }: { capabilities: ByteText; request: SourceRequest | undefined },
  ): Promise<Introduction> {
    negotiating.add(connection);
    const usualMs = (lifecycle.connects === 0 ? parts.firstConnectMs : undefined) ?? connectMs;
    const waitMs = callTimeoutMs(request ?? {}, usualMs, limits.maxCallMs);
    try {
      return await negotiate(connection, name, wanted, {
        legacyMs: eras.timeoutFor('legacy', waitMs),
        modernMs: eras.timeoutFor('modern', waitMs),
        capabilities,
      });
    } catch (error) {
      await connection.close(PincerError.from(error));
      throw error;
    } finally {
      negotiating.delete(connection);
    }
  }

  function onMainLost(reason: PincerError, heldMs: number): void {
    eras.forgetOther();
    log.warn(`server "${name}" is gone`, { reason: reason.message });
    lifecycle.lost(reason, heldMs);
  }

  return {
    connectMs,
    connect,
    recheckSignIns: signed.recheck,
    async stop() {
      for (const giveUp of giveUps) giveUp(gone());
      await Promise.allSettled([...negotiating].map((connection) => connection.close(gone())));
    },
  };
}

interface WiresParts extends Omit<OpenWireParts, 'server' | 'tokens'> {
  readonly name: string;
  readonly tokens?: TokensOfServer | undefined;
}

interface Wires {
  /** The wire for this caller; undefined for all callers. */
  of(caller: TokenOwner | undefined): OpenWire;
}

/** The wires of one server: one for all callers, or one per caller if each signs in separately. */
function createWires(parts: WiresParts): Wires {
  const wires = new Map<string | undefined, OpenWire>();
  return {
    of(caller) {
      const who = isPerCaller(parts.config) ? caller : undefined;
      let wire = wires.get(who?.id);
      if (wire === undefined) {
        wire = openWireFor({ ...parts, server: parts.name, tokens: parts.tokens?.of(who) });
        wires.set(who?.id, wire);
      }
      return wire;
    },
  };
}

type Opened = Pick<Connection, 'retire' | 'isOpen'>;

/** Connections of callers that signed in separately. Each ends with its sign-in. */
interface SignedConnections {
  add(connection: Opened, tokens: ServerTokens | undefined): void;
  drop(connection: Opened): void;
  /** Records have changed. Calls under way may still end. */
  recheck(): void;
}

function createSignedConnections(server: string): SignedConnections {
  const opened = new Map<Opened, { readonly tokens: ServerTokens; readonly signInId: string }>();
  return {
    add(connection, tokens) {
      const signInId = tokens?.grant?.signInId;
      if (tokens?.isPerCaller === true && signInId !== undefined && connection.isOpen)
        opened.set(connection, { tokens, signInId });
    },
    drop: (connection) => void opened.delete(connection),
    recheck() {
      for (const [connection, { tokens, signInId }] of opened)
        tokens.look().then(
          (grant) => {
            if (grant?.signInId !== signInId || grant.refused !== undefined)
              connection.retire(signInOver(server));
          },
          // An unreadable record ends nothing: requests report why they cannot be signed.
          () => undefined,
        );
    },
  };
}

interface OpenWireParts {
  readonly server: string;
  readonly config: ServerConfig;
  readonly spawn: Spawn;
  readonly limits: Limits;
  readonly log: Log;
  readonly stderr: Tail;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Set if the server supports signing in. */
  readonly tokens?: ServerTokens | undefined;
}

export const isStdio = (config: ServerConfig): boolean => config.command !== undefined;

/** Whether the configuration itself has a credential. */
export const hasOwnKey = ({ apiKey, headers }: ServerConfig): boolean =>
  apiKey !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

/** Opens the wire for a server's configuration. */
export function openWireFor(parts: OpenWireParts): OpenWire {
  const { server, config, spawn, limits, log, stderr } = parts;
  if (config.command === undefined) {
    const { apiKey, connectTimeoutMs } = config;
    const headers = lowerCased(config.headers);
    if (apiKey !== undefined) headers['authorization'] = `Bearer ${apiKey}`;
    // A configured credential takes precedence over a sign-in.
    const tokens = hasOwnKey(config) ? undefined : parts.tokens;
    return openWebWire({ server, url: new URL(config.url!), headers, connectTimeoutMs, limits, log, tokens });
  }
  const { command, args, cwd } = config;
  const env = childEnvironment(config.env, parts.env, process.platform);
  const child = planLaunch({ command, args, cwd, env }, process.platform);
  return openStdioWire({ server, child, spawn, limits, log, stderr });
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
