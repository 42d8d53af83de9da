import { expect, it } from 'vitest';
import { bridgeBench } from '../../../../../test/kit/bridge-bench.ts';
import { STRANGER } from '../../core/client.ts';
import type { Session } from './sessions/session.ts';
import { createBridgeSource } from './source.ts';
import { createPreparedTools } from './tools/prepared-tools.ts';

it('of many sessions of an app, only the one that is called is prepared', () => {
  const { register, open, book, links } = bridgeBench();
  const prepare = createPreparedTools(100);
  const prepared: string[] = [];
  const { ofApp } = createBridgeSource({
    book,
    links,
    prepare(session: Session) {
      prepared.push(session.id);
      return prepare(session);
    },
  });
  const sessions = Array.from({ length: 50 }, (_, at) => register('a', 'echo', `own_${at}`));
  const { socket } = open(sessions[20]!);
  const other = open(sessions[30]!);
  ofApp('a').request(
    {
      method: 'tools/call',
      name: 'own_20',
      params: [],
      meta: [],
      era: 'modern',
      caller: { id: 'c', name: 'c', scopes: {} },
      client: STRANGER,
      view: undefined,
    },
    { notify: () => undefined, ask: () => ({ withdraw: () => undefined }), settle: () => undefined },
  );
  expect([socket.requests.length, other.socket.requests.length]).toEqual([1, 0]);
  expect(new Set(prepared)).toEqual(new Set([sessions[20]!.id]));
});
