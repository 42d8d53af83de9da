/**
 * The connections to a gateway of OpenClaw. All orders share one, which is open while an order needs it. A second
 * one, the reviewer, is for approvals.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { DeviceIdentity } from '../../core/ports.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';
import { oneAtATime, type InTurn } from '../../lib/time.ts';
import type { GatewayAddress } from '../../openclaw/find.ts';
import { OPERATOR, type ConnectAuth, type Purpose } from '../../openclaw/handshake.ts';
import { isTokenRefused } from '../../openclaw/refusal.ts';
import { openSocket, type EventListener, type GatewaySocket } from '../../openclaw/socket.ts';

export interface Gateway {
  /** Returns the open connection, or opens one. Rejects at the first failure. */
  connect(): Promise<GatewaySocket>;
  /** Reconnects after a loss, with backoff and for all users together, until `awayMs` have passed. */
  reconnect(): Promise<GatewaySocket>;
  /** Listens across reconnections. Returns a function that removes the listener. */
  onEvent(listener: EventListener): () => void;
  /** Keeps the connection from being closed as idle until the result is disposed of. */
  hold(): Disposable;
  readonly isConnected: boolean;
  /** Closes the connection once no order holds it. Called when settings name another gateway. */
  retire(): void;
  /** The HTTP address at which the gateway serves files. */
  httpUrl(): string;
  /** One queue per conversation. */
  readonly keys: KeyQueue;
  close(): void;
}

interface GatewayParts {
  /** Called before each connection, because settings may have changed. */
  find(): GatewayAddress | { readonly reason: string };
  /** Opened when it is first needed. */
  identity(): DeviceIdentity;
  /** Default: `ORDERS`. */
  readonly purpose?: Purpose;
  /** Closes an unused connection after this time. */
  readonly idleMs?: number;
  /** How long `reconnect` retries while an order runs. */
  readonly awayMs?: number;
}

const IDLE_MS = 60_000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** A connection that lasted this long counts as stable. */
const STABLE_MS = 5_000;

export function createGateway(parts: GatewayParts): Gateway {
  const { find, identity, purpose = ORDERS, idleMs = IDLE_MS, awayMs = DEFAULT_LIMITS.gatewayAwayMs } = parts;
  const listeners = new Set<EventListener>();
  const ending = new AbortController();
  let current: Promise<GatewaySocket> | undefined;
  let returning: Promise<GatewaySocket> | undefined;
  /** How many connections in a row were lost before they were stable, and since when. */
  let unstable = { times: 0, since: 0 };
  let users = 0;
  let isRetired = false;
  let idle: NodeJS.Timeout | undefined;

  const tell: EventListener = (event, payload) => {
    for (const listener of listeners) listener(event, payload);
  };

  function address(): GatewayAddress {
    const found = find();
    if ('url' in found) return found;
    throw new PincerError('SERVER_UNREACHABLE', `No gateway of OpenClaw found: ${found.reason}`, {
      hint: 'Set agent.gatewayUrl, or run: openclaw configure --section gateway',
    });
  }

  async function open(): Promise<GatewaySocket> {
    const where = address();
    const self = identity();
    const auth = authFor(where, self);
    // A device token carries the scopes of orders, so the reviewer neither keeps nor forgets one.
    const isForOrders = purpose === ORDERS;
    const socket = await openSocket(
      where,
      { identity: self, auth, purpose, ending: ending.signal },
      tell,
    ).catch((error: unknown) => {
      // Forget a revoked token, so that the device can be paired again.
      if (isForOrders && isTokenRefused(error) && isDeviceToken(auth))
        keep(() => self.keepToken(where.url, undefined));
      throw error;
    });
    const { deviceToken } = socket.hello.auth;
    if (isForOrders && deviceToken !== undefined) keep(() => self.keepToken(where.url, deviceToken));
    return socket;
  }

  function connect(): Promise<GatewaySocket> {
    if (ending.signal.aborted) return Promise.reject(closed());
    if (current !== undefined) return current;
    const mine = open();
    const forget = (): void => {
      if (current === mine) current = undefined;
    };
    current = mine;
    mine.then((socket) => {
      const openedAt = performance.now();
      void socket.closed.then(() => {
        forget();
        noteDuration(performance.now() - openedAt);
      });
    }, forget);
    closeWhenIdle();
    return mine;
  }

  function noteDuration(durationMs: number): void {
    unstable =
      durationMs < STABLE_MS
        ? { times: unstable.times + 1, since: unstable.times === 0 ? performance.now() : unstable.since }
        : { times: 0, since: 0 };
  }

  /** Backs off from a gateway that accepts connections and then closes them. Without it, retries would never end. */
  async function backOff(): Promise<void> {
    if (unstable.times < 2) return;
    if (performance.now() - unstable.since > awayMs) throw hangsUp();
    await pause(Math.min(FIRST_RETRY_MS * 2 ** (unstable.times - 2), MAX_RETRY_MS));
  }

  const pause = (milliseconds: number): Promise<void> =>
    sleep(milliseconds, undefined, { signal: ending.signal }).catch(() => {
      throw closed();
    });

  async function tryAgain(): Promise<GatewaySocket> {
    await backOff();
    const until = performance.now() + awayMs;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(waitMs * 2, MAX_RETRY_MS)) {
      try {
        return await connect();
      } catch (error) {
        const isAway = PincerError.is(error) && error.code === 'SERVER_UNREACHABLE';
        if (!isAway || users === 0 || performance.now() + waitMs > until) throw error;
      }
      await pause(waitMs);
    }
  }

  /** Closes the open connection. The next `connect` opens another. */
  function disconnect(): void {
    void current?.then((socket) => socket.close()).catch(() => undefined);
    current = undefined;
  }

  function closeWhenIdle(): void {
    clearTimeout(idle);
    if (users === 0 && isRetired) return close();
    if (users > 0 || current === undefined) return;
    idle = setTimeout(disconnect, idleMs);
    idle.unref();
  }

  function close(): void {
    ending.abort();
    clearTimeout(idle);
    disconnect();
  }

  return {
    connect,
    reconnect() {
      returning ??= tryAgain().finally(() => {
        returning = undefined;
      });
      return returning;
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hold() {
      users++;
      clearTimeout(idle);
      return {
        [Symbol.dispose]() {
          users--;
          closeWhenIdle();
        },
      };
    },
    get isConnected() {
      return current !== undefined;
    },
    retire() {
      isRetired = true;
      closeWhenIdle();
    },
    httpUrl: () => address().url.replace(/^ws/, 'http'),
    keys: createKeyQueue(),
    close,
  };
}

/** The connection on which OpenClaw asks for approvals. OpenClaw waits for answers only while it is open. */
export const createReviewer = (parts: Omit<GatewayParts, 'purpose' | 'idleMs'>): Gateway =>
  createGateway({ ...parts, purpose: APPROVALS, idleMs: 0 });

/** Uses a device token only if no credential is configured, and never sends it in clear text to another machine. */
function authFor({ url, credential }: GatewayAddress, identity: DeviceIdentity): ConnectAuth {
  if (credential !== undefined) return credential;
  const { protocol, hostname } = new URL(url);
  const deviceToken = protocol === 'wss:' || isLoopbackHost(hostname) ? identity.tokenFor(url) : undefined;
  return deviceToken === undefined ? undefined : { deviceToken };
}

/** Ignores a failed write: the gateway then asks for pairing again. */
function keep(write: () => void): void {
  try {
    write();
  } catch {
    // The folder may belong to another user, or the disk may be full.
  }
}

const isDeviceToken = (auth: ConnectAuth): boolean => auth !== undefined && 'deviceToken' in auth;

const hangsUp = (): PincerError =>
  new PincerError(
    'SERVER_GONE',
    'The gateway of OpenClaw accepts the connection and closes it, again and again.',
    {
      hint: 'Check `openclaw logs`. A proxy in between may accept only smaller messages than the gateway.',
    },
  );

const closed = (): PincerError => new PincerError('SERVER_GONE', 'Pincer is shutting down.');

/**
 * The scopes that `openclaw agent` has as well. Only an administrator may send a message that must not be read as a
 * command; otherwise `/new` in a message would be one. The capability `tool-events` makes the gateway report tools.
 */
const ORDERS: Purpose = {
  ...OPERATOR,
  scopes: ['operator.read', 'operator.write', 'operator.admin'],
  caps: ['tool-events'],
};

/**
 * Answers approvals for a person. Without the admin scope, a connection is asked only about runs of its own device. If
 * the connection of orders had these capabilities, OpenClaw would expect it to answer for all runs, including those of
 * channels, and would wait half an hour instead of refusing at once.
 */
const APPROVALS: Purpose = {
  ...OPERATOR,
  scopes: ['operator.approvals'],
  caps: ['exec-approvals', 'plugin-approvals'],
};

/** Both connections to one gateway. */
export interface Connections {
  readonly orders: Gateway;
  readonly reviewer: Gateway;
}

/**
 * The gateway that the settings name now. An order stays with the gateway that it began with, even if the settings
 * change: its run is stopped there, and its files are there.
 */
export interface Gateways {
  current(): Connections;
  /** Looks the gateway up again after a change of settings. */
  reconsider(): void;
  close(): void;
}

export function createGateways({ find, ...rest }: Omit<GatewayParts, 'purpose' | 'idleMs'>): Gateways {
  const all = new Set<Connections>();
  let now: { readonly destination: string; readonly connections: Connections } | undefined;

  function look(): Connections {
    const found = find();
    const destination = JSON.stringify(found);
    if (now?.destination === destination) return now.connections;
    const parts = { find: () => found, ...rest };
    const connections = { orders: createGateway(parts), reviewer: createReviewer(parts) };
    now?.connections.orders.retire();
    now?.connections.reviewer.retire();
    all.add(connections);
    now = { destination, connections };
    return connections;
  }

  return {
    // While connected, `find` is not called for each order: it reads OpenClaw's file.
    current: () => (now?.connections.orders.isConnected === true ? now.connections : look()),
    reconsider: () => void look(),
    close() {
      for (const { orders, reviewer } of all) {
        reviewer.close();
        orders.close();
      }
    },
  };
}

const ATTEMPTS = 3;

/** Sends an idempotent request, and repeats it on the next connection if the connection is lost. */
export async function deliver(
  gateway: Pick<Gateway, 'reconnect' | 'hold'>,
  method: string,
  params: object,
): Promise<void> {
  using _held = gateway.hold();
  for (let attempt = 1; ; attempt++) {
    try {
      const socket = await gateway.reconnect();
      await socket.request(method, params);
      return;
    } catch (error) {
      const isLost = PincerError.is(error) && error.code === 'SERVER_GONE';
      if (!isLost || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Runs work with the same key one after the other: a gateway would mix the turns of one conversation. */
interface KeyQueue {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

interface Line {
  readonly inTurn: InTurn;
  waiting: number;
}

export function createKeyQueue(): KeyQueue {
  const lines = new Map<string, Line>();
  return {
    async run(key, work) {
      const line = lines.get(key) ?? { inTurn: oneAtATime(), waiting: 0 };
      lines.set(key, line);
      line.waiting++;
      try {
        return await line.inTurn(work);
      } finally {
        if (--line.waiting === 0) lines.delete(key);
      }
    },
  };
}
