import { expect, it } from 'vitest';
import { aboutOf, defineResource, offerOf } from '../../../../test/kit/offer.ts';
import { sha256 } from '../../../../test/kit/sha256.ts';
import type { Scopes } from '../core/caller.ts';
import { createCatalog } from '../core/catalog/catalog.ts';
import { STRANGER } from '../core/client.ts';
import { createNotices } from '../core/notices.ts';
import { createPolicy, type PolicyRules } from '../core/policy.ts';
import type { Source } from '../core/request.ts';
import { parseBytes } from '../core/wire/byte-text.ts';
import { parseMessage } from '../core/wire/message.ts';
import { createListen } from './listen.ts';

const SERVERS = ['free', 'asked', 'denied'];

/** Listens to one resource of each server; returns the acknowledgement and the servers’ watch requests. */
function listen(rules: PolicyRules, scopes: Scopes = {}) {
  const catalog = createCatalog(sha256);
  catalog.configure(SERVERS.map((name) => ({ name, prefix: name })));
  for (const name of SERVERS)
    catalog.put(
      name,
      offerOf({ about: aboutOf({ resources: {} }), resources: [defineResource(`${name}:1`)] }),
    );
  const watched: string[] = [];
  const sourceOf = (name: string): Source => ({
    name,
    request: () => expect.unreachable('nothing is called'),
    watch: async (uri) => void watched.push(uri),
    tell: () => undefined,
    forget: () => undefined,
  });
  const sent: unknown[] = [];
  const uris = SERVERS.map((name) => `${name}:1`);
  const message = parseMessage(
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: uris } },
    }),
  );
  createListen({
    catalog,
    notices: createNotices(() => []),
    policy: () => createPolicy(rules),
    source: sourceOf,
  })({
    message,
    id: '1',
    sender: {
      caller: { id: 'c', name: 'c', scopes },
      surface: 'http',
      view: undefined,
      era: 'modern',
      client: STRANGER,
      legacy: undefined,
      running: new Map(),
    },
    reply: {
      answer: () => expect.unreachable('it goes on'),
      accept: () => undefined,
      notify: (text) => void sent.push(parseBytes(text)),
      ask: () => false,
      linger: () => undefined,
      pause: () => undefined,
      goOn: () => true,
    },
  });
  const [acknowledged] = sent as { params: { notifications: { resourceSubscriptions?: string[] } } }[];
  return { watched, acknowledged: acknowledged!.params.notifications.resourceSubscriptions };
}

it.each<[string, PolicyRules, Scopes, string[]]>([
  ['of all servers if everything is allowed', {}, {}, ['free:1', 'asked:1', 'denied:1']],
  [
    'that policy allows, and no others',
    { servers: { asked: { '*': 'ask' }, denied: { '*': 'deny' } } },
    {},
    ['free:1'],
  ],
  ['of servers that the caller may use', {}, { servers: ['free', 'denied'] }, ['free:1', 'denied:1']],
])('notifies a client of resources %s', (_what, rules, scopes, expected) => {
  expect(listen(rules, scopes)).toEqual({ acknowledged: expected, watched: expected });
});

it('acknowledges no resources if the client may use none', () => {
  expect(listen({ default: 'deny' })).toEqual({ acknowledged: undefined, watched: [] });
});
