/** Opens the connections of one server: negotiates the era, and tells its life how that went. */
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
import type { Life } from './life/life.ts';
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
  /** How long it may take to be ready for the first time, if somebody has said so. */
  readonly firstConnectMs?: number | undefined;
  readonly eras: Eras;
  readonly life: Life;
  readonly stderr: Tail;
  /** Where somebody can sign in to the server. */
  readonly tokens?: TokensOfServer | undefined;
  readonly admit: <T>(attempt: () => Promise<T>) => Promise<T>;
  gone(): PincerError;
  /** Something that belongs to no call. */
  onNotice(method: string, params: ByteText, from: NoticeOrigin): void;
  /** A connection can be used from now on. */
  onReady(connection: Connection, key: string, introduction: Introduction): void;
  onClosed(connection: Connection, key: string): void;
}

export interface NoticeOrigin {
  /** Whose own connection it came on. */
  readonly owner: Client | undefined;
  readonly isMain: boolean;
}

interface Connector {
  /** How long a server may take to be ready. */
  readonly connectMs: number;
  /** Rejects with OTHER_ERA where the server speaks another era than the request's connection is for. */
  connect(key: string, request: SourceRequest | undefined): Promise<Connection>;
  /** Somebody has signed in or out: what was opened with a sign-in that is over is not used any more. */
  recheckSignIns(): void;
  /** Ends what is being negotiated. */
  stop(): Promise<void>;
}

/** `npx` may have to download the server first. */
const FIRST_START_MS = 60_000;

/** Whoever waited for the connection looks again: each for the one that is right for it in the era that there is. */
export const OTHER_ERA = new PincerError(
  'SERVER_PROTOCOL',
  'The server speaks another era each time that it is asked.',
);

export function createConnector(parts: ConnectorParts): Connector {
  const { name, mainKey, config, limits, clock, log, eras, life, gone } = parts;
  const wires = createWires(parts);
  const signed = createSignedConnections(name);
  const negotiating = new Set<Connection>();
  /** Of attempts under way: when the source is stopped, whoever waits for a turn waits no longer. */
  const giveUps = new Set<(reason: PincerError) => void>();
  const connectMs = isStdio(config)
    ? Math.max(config.connectTimeoutMs, FIRST_START_MS)
    : config.connectTimeoutMs;
  const isStopped = (): boolean => life.state === 'stopped';

  async function connect(key: string, request: SourceRequest | undefined): Promise<Connection> {
    if (isStopped()) throw gone();
    const wanted = eraOfKey(key);
    const isMain = key === mainKey;
    if (isMain) life.connecting();
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
      if (isMain) life.failed(reason);
      if (isMain || request === undefined || !eras.mayDieOf(wanted) || isStopped()) throw reason;
      eras.learn('modern', 'legacy');
    }
    throw OTHER_ERA;
  }

  /** Not a race with one promise of the whole life: that would keep every connection that ever was. */
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
    // A connection that several sessions may use is nobody's own.
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
        if (isMain && life.state === 'ready') onMainLost(reason, clock.elapsed() - openedAt);
      },
    });
    const openedAt = clock.elapsed();
    const introduction = await introduce(connection, wanted, { capabilities: abilities.raw, request });
    signed.add(connection, parts.tokens?.of(isSharedKey(key) ? undefined : request?.caller));
    eras.learn(wanted, connection.era);
    if (isMain) {
      life.ready();
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
    const usualMs = (life.connects === 0 ? parts.firstConnectMs : undefined) ?? connectMs;
    const waitMs = callTimeoutMs(request ?? {}, usualMs, limits.maxCallMs);
    try {
      return await negotiate(connection, name, wanted, {
        legacyMs: eras.patience('legacy', waitMs),
        modernMs: eras.patience('modern', waitMs),
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
    life.lost(reason, heldMs);
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
  /** On behalf of this caller; undefined: of all. */
  of(caller: TokenOwner | undefined): OpenWire;
}

/** The ways to one server: one for all, or one for each caller who signs in for themselves. */
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

/** Connections of callers who signed in for themselves. Each ends with the sign-in that it was opened with. */
interface SignedConnections {
  add(connection: Opened, tokens: ServerTokens | undefined): void;
  drop(connection: Opened): void;
  /** Records have changed. What is under way may still end. */
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
          // What cannot be read now ends nothing: requests say why they cannot be signed.
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
  /** Where somebody can sign in to the server. */
  readonly tokens?: ServerTokens | undefined;
}

export const isStdio = (config: ServerConfig): boolean => config.command !== undefined;

/** The configuration itself says what shows who asks. */
export const hasOwnKey = ({ apiKey, headers }: ServerConfig): boolean =>
  apiKey !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

/** The wire that a server's configuration asks for. */
export function openWireFor(parts: OpenWireParts): OpenWire {
  const { server, config, spawn, limits, log, stderr } = parts;
  if (config.command === undefined) {
    const { apiKey, connectTimeoutMs } = config;
    const headers = lowerCased(config.headers);
    if (apiKey !== undefined) headers['authorization'] = `Bearer ${apiKey}`;
    // What the person has configured to be sent is what is sent.
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
