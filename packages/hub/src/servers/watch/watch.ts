/** Subscriptions to changes of one server: counts the clients of each resource and listens outside of calls. */
import type { Client } from '../../core/client.ts';
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { quoted, type ByteText, jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import type { Connection } from '../connection/connection.ts';
import { RPC } from '../../core/protocol.ts';
import { backoffMs } from '../lifecycle/backoff.ts';
import { ownParams } from '../connection/call-params.ts';
import { notExecuted, outcomeUnknown } from '../../core/outcome.ts';
import { NOTHING_RUNS, type Exchange, type Running, type SourceRequest } from '../../core/request.ts';

export interface Watch {
  /** Starts the current subscriptions on a new shared connection, in its era. */
  follow(connection: Connection, isMain: boolean): void;
  /** Resolves with the server's answer, if it was asked. */
  subscribe(uri: string, client: Client): Promise<Message | undefined>;
  unsubscribe(uri: string, client: Client): Promise<Message | undefined>;
  forget(client: Client): void;
  /** Handles `notifications/resources/updated`. */
  updated(params: ByteText): void;
  /** Whether any client subscribed. */
  readonly isWatching: boolean;
  /** All subscriptions, for a source that replaces this one. */
  subscriptions(): { readonly uri: string; readonly client: Client }[];
}

interface WatchOptions {
  readonly timeoutMs: number;
  /** The connection for subscriptions; opened if necessary. */
  readonly main: () => Promise<Connection>;
  /** The same connection, if it is open. */
  readonly current: () => Connection | undefined;
}

interface Subscription {
  readonly clients: Set<Client>;
  /** The server's answer, shared by all clients. */
  readonly begun: Promise<Message | undefined>;
}

export function createWatch({ timeoutMs, main, current }: WatchOptions): Watch {
  const subscriptions = new Map<string, Subscription>();
  const listening = new WeakMap<Connection, Listening>();

  const ask = (connection: Connection, method: string, uri: string): Promise<Message> =>
    connection.ask(method, `{"uri":${quoted(uri)}}`, timeoutMs);

  /** Tells the server that this resource was added or removed. */
  async function tell(connection: Connection, method: string, uri: string): Promise<Message | undefined> {
    if (connection.era === 'legacy') return ask(connection, method, uri);
    listening.get(connection)?.renew();
    return undefined;
  }

  async function begin(uri: string, clients: Set<Client>): Promise<Message | undefined> {
    const isWanted = (): boolean => subscriptions.get(uri)?.clients === clients;
    const undo = (): void => {
      if (isWanted()) subscriptions.delete(uri);
    };
    try {
      const connection = await main();
      const answer = isWanted() ? await tell(connection, 'resources/subscribe', uri) : undefined;
      if (answer?.error !== undefined) undo();
      return answer;
    } catch (error) {
      undo();
      throw error;
    }
  }

  const countOf = (client: Client): number => {
    let count = 0;
    for (const { clients } of subscriptions.values()) if (clients.has(client)) count++;
    return count;
  };

  /** Clients of exactly this URI; if there are none, clients of a resource that contains it. */
  function clientsOf(uri: string): ReadonlySet<Client> {
    const exact = subscriptions.get(uri);
    if (exact !== undefined) return exact.clients;
    const clients = new Set<Client>();
    for (const [subscribed, each] of subscriptions)
      if (isWithin(uri, subscribed)) for (const client of each.clients) clients.add(client);
    return clients;
  }

  /** Does nothing at a server that is not connected. */
  async function drop(uri: string, client: Client): Promise<Message | undefined> {
    const clients = subscriptions.get(uri)?.clients;
    if (!clients?.delete(client) || clients.size > 0) return undefined;
    subscriptions.delete(uri);
    const connection = current();
    return connection === undefined ? undefined : tell(connection, 'resources/unsubscribe', uri);
  }

  return {
    get isWatching() {
      return subscriptions.size > 0;
    },
    subscriptions: () =>
      [...subscriptions].flatMap(([uri, { clients }]) => [...clients].map((client) => ({ uri, client }))),
    follow(connection, isMain) {
      const uris = (): string[] => (isMain ? [...subscriptions.keys()] : []);
      if (connection.era === 'modern') listening.set(connection, listenOn(connection, uris));
      else for (const uri of uris()) ask(connection, 'resources/subscribe', uri).catch(() => undefined);
    },
    subscribe(uri, client) {
      if (uri.length > MAX_URI) return Promise.reject(tooLong(uri.length));
      if (countOf(client) >= MAX_PER_CLIENT) return Promise.reject(TOO_MANY);
      const known = subscriptions.get(uri);
      if (known !== undefined) {
        known.clients.add(client);
        return known.begun;
      }
      const clients = new Set([client]);
      const begun = begin(uri, clients);
      subscriptions.set(uri, { clients, begun });
      return begun;
    },
    unsubscribe: drop,
    forget(client) {
      for (const uri of subscriptions.keys()) drop(uri, client).catch(() => undefined);
    },
    updated(params) {
      const raw = findMember(readMembers(params), 'uri');
      if (!raw?.startsWith('"')) return;
      const uri = plainString(raw);
      for (const client of clientsOf(uri)) client.notify('notifications/resources/updated', params);
    },
  };
}

/** Subscriptions per client and server, and the length of a URI. */
const MAX_PER_CLIENT = 1_000;
const MAX_URI = 8_192;

const TOO_MANY = new PincerError('SERVER_BUSY', `A client may subscribe to ${MAX_PER_CLIENT} resources.`, {
  hint: 'Unsubscribe from some first.',
});

const tooLong = (length: number): PincerError =>
  new PincerError('ARGUMENT_INVALID', `A URI of ${length} characters cannot be subscribed to.`, {
    hint: `Use one of at most ${MAX_URI}.`,
  });

/** A server may report a part of the subscribed resource. */
const isWithin = (uri: string, subscribed: string): boolean =>
  uri.startsWith(subscribed) &&
  (uri.length === subscribed.length || subscribed.endsWith('/') || '/?#'.includes(uri[subscribed.length]!));

export interface Listening {
  /** Sends the changed filter, and ends the previous request. */
  renew(): void;
}

/** The old request ends this long after the new one, so that no change is missed. */
const OVERLAP_MS = 1_000;
/** Changes within this time are sent in one request. */
const GATHER_MS = 50;
/** A stream that held this long resets the backoff. */
const STEADY_MS = 30_000;

/**
 * `subscriptions/listen` of the modern era: one long request with a filter. Listens as long as the connection is open,
 * and reconnects a stream that ends.
 */
export function listenOn(connection: Connection, resources: () => readonly string[]): Listening {
  let current = Symbol();
  let end: (() => void) | undefined;
  let attempts = 0;
  let isUnknown = false;

  /** Without resources if the server refuses them; list changes are still reported. */
  function begin(withResources: boolean): void {
    const token = (current = Symbol());
    const begunAt = performance.now();
    const uris = withResources ? resources() : [];
    const { answer, abandon } = connection.startAsk('subscriptions/listen', listenParams(uris), undefined);
    end = abandon;
    const again = (): void => {
      if (token !== current) return;
      attempts = performance.now() - begunAt >= STEADY_MS ? 0 : attempts + 1;
      setTimeout(
        () => {
          if (token === current && connection.isOpen) begin(withResources);
        },
        backoffMs(attempts, Math.random()),
      ).unref();
    };
    answer.then(({ error }) => {
      const code = error === undefined ? undefined : codeOf(error);
      if (code === RPC.methodNotFound) isUnknown = true;
      else if (code !== RPC.invalidParams) again();
      else if (uris.length > 0 && token === current) begin(false);
    }, again);
  }

  let renewal: NodeJS.Timeout | undefined;
  begin(true);
  return {
    renew() {
      renewal ??= setTimeout(() => {
        renewal = undefined;
        // Do not ask a server again that does not know the method.
        if (isUnknown || !connection.isOpen) return;
        const previous = end;
        begin(true);
        if (previous !== undefined) setTimeout(previous, OVERLAP_MS).unref();
      }, GATHER_MS).unref();
    },
  };
}

const listenParams = (uris: readonly string[]): ByteText =>
  ownParams('modern', {
    notifications: jsonBytes({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    }),
  });

const codeOf = (error: ByteText): unknown => ((parseBytes(error) ?? {}) as { code?: unknown }).code;

/** `resources/subscribe` on a shared connection: the server is asked once for all clients. */
export function settleSubscription(watch: Watch, request: SourceRequest, exchange: Exchange): Running {
  const change = request.method === 'resources/subscribe' ? watch.subscribe : watch.unsubscribe;
  change(request.name!, request.client).then(
    (answer) =>
      exchange.settle(
        answer?.error === undefined
          ? { kind: 'ok', result: answer?.result ?? '{}', era: 'legacy', extra: '' }
          : { kind: 'tool_error', error: answer.error, extra: answer.extra },
      ),
    (error: unknown) => {
      const reason = PincerError.from(error);
      exchange.settle(NOT_SENT.has(reason.code) ? notExecuted(reason) : outcomeUnknown(reason));
    },
  );
  // Cannot be cancelled: it is short, and may serve other clients.
  return NOTHING_RUNS;
}

/** Codes that mean nothing reached the server. */
const NOT_SENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SERVER_UNREACHABLE',
  'SERVER_BUSY',
  'ARGUMENT_INVALID',
]);
