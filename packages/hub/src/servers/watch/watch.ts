/** Hears what changes at a server outside of calls, and counts who subscribed to which resource. */
import type { Client } from '../../core/client.ts';
import { PincerError, type ErrorCode } from '../../core/errors.ts';
import { quoted, type ByteText, jsonBytes, parseBytes } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import type { Connection } from '../connection/connection.ts';
import { RPC } from '../../core/protocol.ts';
import { backoffMs } from '../life/backoff.ts';
import { ownParams } from '../connection/call-params.ts';
import { notExecuted, outcomeUnknown } from '../../core/outcome.ts';
import { NOTHING_RUNS, type Exchange, type Running, type SourceRequest } from '../../core/request.ts';

export interface Watch {
  /** A new shared connection: what is wanted is asked for on it, in the words of its era. */
  follow(connection: Connection, isMain: boolean): void;
  /** Resolves with the server's answer, where it was asked. */
  subscribe(uri: string, client: Client): Promise<Message | undefined>;
  unsubscribe(uri: string, client: Client): Promise<Message | undefined>;
  forget(client: Client): void;
  /** `notifications/resources/updated` has come. */
  updated(params: ByteText): void;
  /** Somebody wants to hear of changes. */
  readonly isWatching: boolean;
  /** Who wants to hear of what, for a source that takes this one's place. */
  wishes(): { readonly uri: string; readonly client: Client }[];
}

interface WatchOptions {
  readonly timeoutMs: number;
  /** The connection that resources are subscribed on; it is opened where it is not. */
  readonly main: () => Promise<Connection>;
  /** The same, where it is open. */
  readonly current: () => Connection | undefined;
}

interface Subscription {
  readonly clients: Set<Client>;
  /** What the server said to it: the same for all who want it. */
  readonly begun: Promise<Message | undefined>;
}

export function createWatch({ timeoutMs, main, current }: WatchOptions): Watch {
  const subscriptions = new Map<string, Subscription>();
  const listening = new WeakMap<Connection, Listening>();

  const ask = (connection: Connection, method: string, uri: string): Promise<Message> =>
    connection.ask(method, `{"uri":${quoted(uri)}}`, timeoutMs);

  /** The set of subscribed resources has changed by this one. */
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

  /** Those who asked for it; where nobody did, those who asked for something that it is a part of. */
  function clientsOf(uri: string): ReadonlySet<Client> {
    const exact = subscriptions.get(uri);
    if (exact !== undefined) return exact.clients;
    const clients = new Set<Client>();
    for (const [subscribed, each] of subscriptions)
      if (isWithin(uri, subscribed)) for (const client of each.clients) clients.add(client);
    return clients;
  }

  /** A server that is not connected has nothing to forget. */
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
    wishes: () =>
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

/** What one client may subscribe to at one server, and how long the name of a resource may be. */
const MAX_PER_CLIENT = 1_000;
const MAX_URI = 8_192;

const TOO_MANY = new PincerError('SERVER_BUSY', `A client may subscribe to ${MAX_PER_CLIENT} resources.`, {
  hint: 'Unsubscribe from some first.',
});

const tooLong = (length: number): PincerError =>
  new PincerError('ARGUMENT_INVALID', `A URI of ${length} characters cannot be subscribed to.`, {
    hint: `Use one of at most ${MAX_URI}.`,
  });

/** What a server tells of may be a part of the resource that was subscribed to. */
const isWithin = (uri: string, subscribed: string): boolean =>
  uri.startsWith(subscribed) &&
  (uri.length === subscribed.length || subscribed.endsWith('/') || '/?#'.includes(uri[subscribed.length]!));

export interface Listening {
  /** The filter has changed: asks anew, and lets go of what was asked before. */
  renew(): void;
}

/** The old request ends this long after the new one was sent, so that nothing is missed in between. */
const OVERLAP_MS = 1_000;
/** Changes of this long are one request. */
const GATHER_MS = 50;
/** A stream that held this long starts its back-off anew. */
const STEADY_MS = 30_000;

/**
 * `subscriptions/listen` of the modern era: one long request that says what the server is to tell. Listens as long
 * as the connection is open; a stream that ends is asked for again.
 */
export function listenOn(connection: Connection, resources: () => readonly string[]): Listening {
  let current = Symbol();
  let end: (() => void) | undefined;
  let attempts = 0;
  let isUnknown = false;

  /** Without the resources where the server does not take them: the lists are heard of all the same. */
  function begin(withResources: boolean): void {
    const token = (current = Symbol());
    const begunAt = performance.now();
    const uris = withResources ? resources() : [];
    const { answer, abandon } = connection.begun('subscriptions/listen', listenParams(uris), undefined);
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
        // A server that does not know the method is not asked again.
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

/** `resources/subscribe` on a shared connection: counted, so that the server is asked once for all who want it. */
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
  // It takes a moment at most, and may serve others as well.
  return NOTHING_RUNS;
}

/** What is said where nothing has reached the server. */
const NOT_SENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SERVER_UNREACHABLE',
  'SERVER_BUSY',
  'ARGUMENT_INVALID',
]);
