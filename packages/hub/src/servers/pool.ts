/** The open connections of one server, by key. */
import { PincerError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import { onOutcome, type Exchange, type SourceRequest } from '../core/request.ts';
import type { Connection } from './connection/connection.ts';

export interface Pool {
  /** The connection of this key, if it is open. */
  ready(key: string): Connection | undefined;
  /** Opens the connection for this request, or joins an attempt under way. */
  open(key: string, request?: SourceRequest): Promise<Connection>;
  /** Open connections whose key has this end, except shared ones. */
  own(keyEnd: string): Connection[];
  closeOwn(keyEnd: string): void;
  /** Removes a closed or retired connection; calls under way may still end. */
  drop(key: string, connection: Connection): void;
  closeAll(reason: PincerError): Promise<void>;
  readonly inFlight: number;
}

export interface PoolOptions {
  readonly server: string;
  readonly limits: Limits;
  /** Keys that do not count against `maxOwnConnections` and are never closed as idle. */
  isShared(key: string): boolean;
  connect(key: string, request: SourceRequest | undefined): Promise<Connection>;
}

export function createPool(options: PoolOptions): Pool {
  const { server, limits, isShared } = options;
  const connections = new Map<string, Connection>();
  const opening = new Map<string, Promise<Connection>>();
  /** Connections that take no new calls but have calls under way. */
  const retired = new Set<Connection>();

  function underWay(): Connection[] {
    for (const connection of retired) if (connection.inFlight === 0) retired.delete(connection);
    // One connection may have two keys.
    return [...new Set([...connections.values(), ...retired])];
  }

  const ownEntries = (): [string, Connection][] => [...connections].filter(([key]) => !isShared(key));

  function end(key: string, connection: Connection, why: string): Promise<void> {
    connections.delete(key);
    return connection.close(new PincerError('SERVER_GONE', why));
  }

  /** Makes room for one more own connection: closes the one that was idle longest. */
  async function makeRoom(): Promise<void> {
    const openingOwn = [...opening.keys()].filter((key) => !isShared(key)).length;
    if (ownEntries().length + openingOwn < limits.maxOwnConnections) return;
    const idle = ownEntries()
      .filter(([, connection]) => connection.inFlight === 0)
      .sort(([, a], [, b]) => b.idleMs - a.idleMs)[0];
    if (idle === undefined)
      throw new PincerError(
        'SERVER_BUSY',
        `All ${limits.maxOwnConnections} connections to "${server}" are in use.`,
        {
          hint: 'Try again in a moment, or raise limits.maxOwnConnections.',
        },
      );
    await end(...idle, 'Closed to make room.');
  }

  async function connect(key: string, request: SourceRequest | undefined): Promise<Connection> {
    if (!isShared(key)) await makeRoom();
    const connection = await options.connect(key, request);
    // If another key already has this connection, do not add it again.
    if (![...connections.values()].includes(connection)) connections.set(key, connection);
    return connection;
  }

  const sweep = setInterval(() => {
    for (const [key, connection] of ownEntries())
      if (connection.idleMs >= limits.ownConnectionIdleMs)
        void end(key, connection, 'Closed because it was idle.');
  }, limits.ownConnectionIdleMs / 2).unref();

  return {
    ready(key) {
      const connection = connections.get(key);
      return connection?.isOpen === true ? connection : undefined;
    },
    open(key, request) {
      const known = connections.get(key);
      if (known?.isOpen === true) return Promise.resolve(known);
      let attempt = opening.get(key);
      if (attempt === undefined) {
        attempt = connect(key, request).finally(() => opening.delete(key));
        opening.set(key, attempt);
      }
      return attempt;
    },
    own: (keyEnd) => ownEntries().flatMap(([key, connection]) => (key.endsWith(keyEnd) ? [connection] : [])),
    closeOwn(keyEnd) {
      for (const [key, connection] of ownEntries())
        if (key.endsWith(keyEnd)) void end(key, connection, 'Closed because its session ended.');
    },
    drop(key, connection) {
      if (connections.get(key) === connection) connections.delete(key);
      if (connection.inFlight > 0) retired.add(connection);
    },
    async closeAll(reason) {
      clearInterval(sweep);
      await Promise.allSettled(opening.values());
      const all = underWay();
      connections.clear();
      retired.clear();
      await Promise.allSettled(all.map((connection) => connection.close(reason)));
    },
    get inFlight() {
      return underWay().reduce((sum, connection) => sum + connection.inFlight, 0);
    },
  };
}

/**
 * Reserves connections for single calls. A server's question may not say which call it belongs to: on a pipe it never
 * does, and over HTTP it may arrive outside of its call. So a client without a session, which is asked in the answer of
 * its call, gets a connection per call.
 */
interface ExclusiveKeys {
  /**
   * A connection that no other call uses until this one has ended. Throws if the caller has too many and `makeRoom`
   * could not end one.
   */
  reserve(
    key: string,
    caller: string,
    exchange: Exchange,
    makeRoom?: () => boolean,
  ): { readonly key: string; readonly exchange: Exchange };
}

/** `max` connections per caller, so that calls that wait for a person do not lock out others. */
export function createExclusiveKeys(max: number): ExclusiveKeys {
  const taken = new Set<string>();
  const counts = new Map<string, number>();

  function free(key: string, caller: string): void {
    taken.delete(key);
    const left = counts.get(caller)! - 1;
    if (left === 0) counts.delete(caller);
    else counts.set(caller, left);
  }

  return {
    reserve(key, caller, exchange, makeRoom = () => false) {
      // A client that never returns to its calls must not lock itself out.
      while ((counts.get(caller) ?? 0) >= max) if (!makeRoom()) throw tooMany(max);
      const count = counts.get(caller) ?? 0;
      let index = 0;
      while (taken.has(`${key}/${index}`)) index++;
      const own = `${key}/${index}`;
      taken.add(own);
      counts.set(caller, count + 1);
      let isFree = false;
      return {
        key: own,
        exchange: onOutcome(exchange, () => {
          if (!isFree) free(own, caller);
          isFree = true;
        }),
      };
    },
  };
}

const tooMany = (max: number): PincerError =>
  new PincerError(
    'SERVER_BUSY',
    `This caller already has ${max} running calls at this server, each on its own connection.`,
    {
      hint: 'Try again when one has ended, or raise limits.maxOwnConnections.',
    },
  );
