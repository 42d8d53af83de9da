/** Hears what changes at a server outside of calls, and counts who subscribed to which resource. */
import type { Client } from '../../core/client.ts';
import { quoted, type ByteText } from '../../core/wire/byte-text.ts';
import { findMember, readMembers } from '../../core/wire/members.ts';
import { plainString, type Message } from '../../core/wire/message.ts';
import type { Connection } from './connection.ts';
import { listenOn, type Listening } from './listen.ts';

export interface Watch {
  /** A new shared connection: what is wanted is asked for on it, in the words of its era. */
  follow(connection: Connection, isMain: boolean): void;
  /** Resolves with the server's answer, where it was asked. */
  subscribe(uri: string, client: Client): Promise<Message | undefined>;
  unsubscribe(uri: string, client: Client): Promise<Message | undefined>;
  forget(client: Client): void;
  /** `notifications/resources/updated` has come. */
  updated(params: ByteText): void;
}

export interface WatchOptions {
  readonly timeoutMs: number;
  /** The connection that resources are subscribed on. */
  readonly main: () => Promise<Connection>;
}

export function createWatch({ timeoutMs, main }: WatchOptions): Watch {
  const subscribers = new Map<string, Set<Client>>();
  const listening = new WeakMap<Connection, Listening>();

  const ask = (connection: Connection, method: string, uri: string): Promise<Message> =>
    connection.ask(method, `{"uri":${quoted(uri)}}`, timeoutMs);

  /** The set of subscribed resources has changed by this one. */
  async function tell(method: string, uri: string): Promise<Message | undefined> {
    const connection = await main();
    if (connection.era === 'legacy') return ask(connection, method, uri);
    listening.get(connection)?.renew();
    return undefined;
  }

  /** True: nobody is left who wants to hear of it. */
  function drop(uri: string, client: Client): boolean {
    const clients = subscribers.get(uri);
    if (!clients?.delete(client) || clients.size > 0) return false;
    return subscribers.delete(uri);
  }

  return {
    follow(connection, isMain) {
      const uris = (): string[] => (isMain ? [...subscribers.keys()] : []);
      if (connection.era === 'modern') listening.set(connection, listenOn(connection, uris));
      else for (const uri of uris()) ask(connection, 'resources/subscribe', uri).catch(() => undefined);
    },
    async subscribe(uri, client) {
      const clients = subscribers.get(uri) ?? new Set();
      const isFirst = clients.size === 0;
      subscribers.set(uri, clients.add(client));
      if (!isFirst) return undefined;
      try {
        const answer = await tell('resources/subscribe', uri);
        if (answer?.error !== undefined) drop(uri, client);
        return answer;
      } catch (error) {
        drop(uri, client);
        throw error;
      }
    },
    unsubscribe: async (uri, client) =>
      drop(uri, client) ? await tell('resources/unsubscribe', uri) : undefined,
    forget(client) {
      for (const uri of subscribers.keys())
        if (drop(uri, client)) tell('resources/unsubscribe', uri).catch(() => undefined);
    },
    updated(params) {
      const uri = findMember(readMembers(params), 'uri');
      if (!uri?.startsWith('"')) return;
      for (const client of subscribers.get(plainString(uri)) ?? [])
        client.notify('notifications/resources/updated', params);
    },
  };
}
