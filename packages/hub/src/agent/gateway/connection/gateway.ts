/** The one connection to a gateway that all orders share: there while somebody needs it. */
import type { DeviceIdentity } from '../../../core/ports.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { PincerError } from '../../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { isLoopbackHost } from '../../../lib/loopback.ts';
import type { GatewayAddress } from '../../../openclaw/find.ts';
import type { ConnectAuth, Purpose } from '../../../openclaw/handshake.ts';
import { createKeyQueue, type KeyQueue } from '../../key-queue.ts';
import { isTokenRefused } from '../../../openclaw/refusal.ts';
import { openSocket, type EventListener, type GatewaySocket } from '../../../openclaw/socket.ts';
import { APPROVALS, ORDERS } from './purposes.ts';

export interface Gateway {
  /** The open connection, or a new one; what stands in the way is said at once. */
  connect(): Promise<GatewaySocket>;
  /** After a loss: tries again and again, all users together, until it is back or the time is over. */
  comeBack(): Promise<GatewaySocket>;
  /** Of all connections. Returns what ends it. */
  onEvent(listener: EventListener): () => void;
  /** As long as somebody holds it, the connection is not closed for being idle. */
  hold(): Disposable;
  readonly isConnected: boolean;
  /** Closes when nobody holds it any more: it is another one now that orders go to. */
  retire(): void;
  /** Where the gateway serves files: `http://…`. */
  httpUrl(): string;
  readonly keys: KeyQueue;
  close(): void;
}

export interface GatewayParts {
  /** Asked before each connection: settings may have changed. */
  find(): GatewayAddress | { readonly reason: string };
  /** Opened when it is first needed. */
  identity(): DeviceIdentity;
  /** By default orders. */
  readonly purpose?: Purpose;
  /** An unused connection is closed after this time. */
  readonly idleMs?: number;
  /** How long a gateway may be away while an order runs. */
  readonly awayMs?: number;
}

const IDLE_MS = 60_000;
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;
/** A connection that has lasted this long is one. */
const STABLE_MS = 5_000;

export function createGateway(parts: GatewayParts): Gateway {
  const { find, identity, purpose = ORDERS, idleMs = IDLE_MS, awayMs = DEFAULT_LIMITS.gatewayAwayMs } = parts;
  const listeners = new Set<EventListener>();
  const ending = new AbortController();
  let current: Promise<GatewaySocket> | undefined;
  let returning: Promise<GatewaySocket> | undefined;
  /** How often a connection was lost as soon as it was there, and since when. */
  let shaky = { times: 0, since: 0 };
  let users = 0;
  let isRetired = false;
  let idle: NodeJS.Timeout | undefined;

  const tell: EventListener = (event, payload) => {
    for (const listener of listeners) listener(event, payload);
  };

  function address(): GatewayAddress {
    const found = find();
    if ('url' in found) return found;
    throw new PincerError('SERVER_UNREACHABLE', `There is no gateway of OpenClaw to ask: ${found.reason}`, {
      hint: 'Set agent.gatewayUrl, or run openclaw configure --section gateway.',
    });
  }

  async function open(): Promise<GatewaySocket> {
    const where = address();
    const self = identity();
    const auth = authFor(where, self);
    // A token is given for what orders may do, and is theirs to keep and to forget.
    const isForOrders = purpose === ORDERS;
    const socket = await openSocket(
      where,
      { identity: self, auth, purpose, ending: ending.signal },
      tell,
    ).catch((error: unknown) => {
      // One that was revoked must not stand in the way of being paired again.
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
        noteLife(performance.now() - openedAt);
      });
    }, forget);
    rest();
    return mine;
  }

  function noteLife(lifeMs: number): void {
    const isShaky = lifeMs < STABLE_MS;
    shaky = isShaky
      ? { times: shaky.times + 1, since: shaky.times === 0 ? performance.now() : shaky.since }
      : { times: 0, since: 0 };
  }

  /** One that lets everybody in and then hangs up would otherwise be called without end. */
  async function calmDown(): Promise<void> {
    if (shaky.times < 2) return;
    if (performance.now() - shaky.since > awayMs) throw hangsUp();
    await pause(Math.min(FIRST_RETRY_MS * 2 ** (shaky.times - 2), MAX_RETRY_MS));
  }

  const pause = (milliseconds: number): Promise<void> =>
    sleep(milliseconds, undefined, { signal: ending.signal }).catch(() => {
      throw closed();
    });

  async function tryAgain(): Promise<GatewaySocket> {
    await calmDown();
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

  /** Whoever comes from now on gets a new one. */
  function leave(): void {
    void current?.then((socket) => socket.close()).catch(() => undefined);
    current = undefined;
  }

  function rest(): void {
    clearTimeout(idle);
    if (users === 0 && isRetired) return close();
    if (users > 0 || current === undefined) return;
    idle = setTimeout(leave, idleMs);
    idle.unref();
  }

  function close(): void {
    ending.abort();
    clearTimeout(idle);
    leave();
  }

  return {
    connect,
    comeBack() {
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
          rest();
        },
      };
    },
    get isConnected() {
      return current !== undefined;
    },
    retire() {
      isRetired = true;
      rest();
    },
    httpUrl: () => address().url.replace(/^ws/, 'http'),
    keys: createKeyQueue(),
    close,
  };
}

/** The connection on which OpenClaw asks. It is there as long as somebody can be asked: OpenClaw waits for it. */
export const createReviewer = (parts: Omit<GatewayParts, 'purpose' | 'idleMs'>): Gateway =>
  createGateway({ ...parts, purpose: APPROVALS, idleMs: 0 });

/** A token of the device is for when there is no other; over the wire in clear text it does not go. */
function authFor({ url, credential }: GatewayAddress, identity: DeviceIdentity): ConnectAuth {
  if (credential !== undefined) return credential;
  const { protocol, hostname } = new URL(url);
  const deviceToken = protocol === 'wss:' || isLoopbackHost(hostname) ? identity.tokenFor(url) : undefined;
  return deviceToken === undefined ? undefined : { deviceToken };
}

/** Where it cannot be written down, the gateway asks again another time. */
function keep(write: () => void): void {
  try {
    write();
  } catch {
    // The folder may belong to somebody else, or be full.
  }
}

const isDeviceToken = (auth: ConnectAuth): boolean => auth !== undefined && 'deviceToken' in auth;

const hangsUp = (): PincerError =>
  new PincerError('SERVER_GONE', 'The gateway of OpenClaw lets us in and hangs up, again and again.', {
    hint: 'Look at openclaw logs, and at what stands between: a proxy may take less at once than the gateway.',
  });

const closed = (): PincerError => new PincerError('SERVER_GONE', 'Pincer is ending.');
