/** `subscriptions/listen` (2026-07-28): one long answer that reports changes until the client ends it. */
import { mayUseServer, type Caller } from '../core/caller.ts';
import type { CatalogReader } from '../core/catalog/catalog.ts';
import { NO_ABILITIES, type Client } from '../core/client.ts';
import { isRecord } from '../lib/record.ts';
import type { Notices } from '../core/notices.ts';
import type { ListKind } from '../core/catalog/offer.ts';
import { decisionFor, type Policy } from '../core/policy.ts';
import { META_KEY } from '../core/protocol.ts';
import type { Running, Source } from '../core/request.ts';
import { jsonBytes, parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { findMember, readMembers, writeMembers } from '../core/wire/members.ts';
import { answer, invalid, refuse, type Asked } from './dispatch.ts';
import { notificationText } from './reply.ts';

export interface ListenParts {
  readonly catalog: CatalogReader;
  readonly notices: Notices;
  readonly policy: () => Policy;
  readonly source: (server: string) => Source | undefined;
}

export type Listen = ((asked: Asked) => Running | undefined) & {
  /** Ends all open subscriptions with a final result. */
  endAll(): void;
};

interface Filter {
  readonly kinds: ReadonlySet<ListKind>;
  readonly uris: readonly string[];
}

/** Resources that one request may subscribe to. */
const MAX_RESOURCES = 1_000;

export function createListen({ catalog, notices, policy, source }: ListenParts): Listen {
  const open = new Set<() => void>();

  /**
   * Decided like `resources/subscribe`, but `ask` counts as `deny`: a list of resources is not worth many questions.
   */
  const isAllowed = (caller: Caller, server: string): boolean =>
    decisionFor('resources/subscribe', policy().decide(caller, { server, name: '', readOnly: true })) ===
    'allow';

  function listen(asked: Asked): Running | undefined {
    const { id, reply, sender, message } = asked;
    const filter = readFilter(findMember(message.params, 'notifications'));
    if (filter === undefined) return refuse(asked, invalid('"params.notifications" must be a filter.'));
    const failure = reply.linger();
    if (failure !== undefined) return refuse(asked, failure);
    const client = listener(id, (text) => reply.notify(text));
    const owners = new Map<string, string>();
    for (const uri of filter.uris) {
      const server = catalog.ownerOf(sender.view, uri, (name) => mayUseServer(sender.caller.scopes, name));
      if (server !== undefined && isAllowed(sender.caller, server)) owners.set(uri, server);
    }
    client.notify('notifications/subscriptions/acknowledged', acknowledgement(filter, [...owners.keys()]));
    const stop = notices.add(client, filter.kinds, sender);
    // A resource that a server refuses to watch is never reported, and the client gets no error.
    for (const [uri, server] of owners)
      source(server)
        ?.watch(uri, client)
        .catch(() => undefined);
    const end = (): void => {
      if (!open.delete(complete)) return;
      stop();
      sender.running.delete(id);
      for (const server of new Set(owners.values())) source(server)?.forget(client);
    };
    const complete = (): void => {
      end();
      answer(asked, writeMembers([], { resultType: '"complete"', _meta: subscriptionMeta(id) }));
    };
    open.add(complete);
    const running: Running = {
      cancel() {
        end();
        reply.accept();
      },
    };
    sender.running.set(id, running);
    return running;
  }

  return Object.assign(listen, {
    endAll() {
      for (const complete of open) complete();
    },
  });
}

const subscriptionMeta = (id: ByteText): ByteText => writeMembers([], { [META_KEY.subscriptionId]: id });

/** A client for notifications: tags each one with the id of the `listen` request. */
const listener = (id: ByteText, send: (text: ByteText) => void): Client => ({
  session: undefined,
  abilities: NO_ABILITIES,
  info: undefined,
  logLevel: undefined,
  readsLines: false,
  notify(method, params) {
    const members = readMembers(params);
    const meta = findMember(members, '_meta');
    const tagged = writeMembers(meta === undefined ? [] : readMembers(meta), {
      [META_KEY.subscriptionId]: id,
    });
    send(notificationText(method, writeMembers(members, { _meta: tagged })));
  },
  ask: () => undefined,
});

function readFilter(raw: ByteText | undefined): Filter | undefined {
  const value = raw === undefined ? {} : parseBytes(raw);
  if (!isRecord(value)) return undefined;
  const uris = value['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || uris.length > MAX_RESOURCES || !uris.every((uri) => typeof uri === 'string'))
    return undefined;
  const kinds = (['tools', 'prompts', 'resources'] as const).filter(
    (kind) => value[`${kind}ListChanged`] === true,
  );
  return { kinds: new Set(kinds), uris };
}

const acknowledgement = ({ kinds }: Filter, uris: readonly string[]): ByteText =>
  jsonBytes({
    notifications: {
      ...Object.fromEntries([...kinds].map((kind) => [`${kind}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: uris }),
    },
  });
