import { expect, it, vi } from 'vitest';
import { bridgeBench } from '../../../../test/kit/bridge-bench.ts';
import { STRANGER } from '../core/client.ts';
import type { Outcome } from '../core/outcome.ts';
import type { SourceRequest } from '../core/request.ts';
import type { Session } from './directory/session-directory.ts';
import { createBridgeSource } from './source.ts';
import { createPreparedTools } from './tools/prepared-tools.ts';
import { createSessionCatalog } from './tools/session-catalog.ts';

const REQUEST: SourceRequest = {
  method: 'tools/call',
  name: 'echo',
  params: [],
  meta: [],
  era: 'modern',
  caller: { id: 'c', name: 'c', scopes: {} },
  client: STRANGER,
  view: undefined,
};

it('prepares only the called session of an app', async () => {
  const { register, open, directory, bridges } = bridgeBench();
  const prepare = createPreparedTools(100);
  const prepared: string[] = [];
  const { ofApp } = createBridgeSource({
    directory,
    bridges,
    prepare(session: Session) {
      prepared.push(session.id);
      return prepare(session);
    },
  });
  const sessions = await Promise.all(
    Array.from({ length: 50 }, (_, at) => register('a', 'echo', `own_${at}`)),
  );
  const { socket } = await open(sessions[20]!);
  const other = await open(sessions[30]!);
  ofApp('a').request(
    { ...REQUEST, name: 'own_20' },
    { notify: () => undefined, ask: () => ({ withdraw: () => undefined }), settle: () => undefined },
  );
  await vi.waitFor(() => expect(socket.requests).toHaveLength(1));
  expect([socket.requests.length, other.socket.requests.length]).toEqual([1, 0]);
  expect(new Set(prepared)).toEqual(new Set([sessions[20]!.id]));
});

it('does not run a call that is cancelled before its session is known', async () => {
  const { register, open, directory, bridges } = bridgeBench();
  const { ofApp } = createBridgeSource({ directory, bridges, prepare: createPreparedTools(100) });
  const { socket } = await open(await register('a', 'echo'));
  const outcomes: Outcome[] = [];
  const exchange = {
    notify: () => undefined,
    ask: () => ({ withdraw: () => undefined }),
    settle: (outcome: Outcome) => void outcomes.push(outcome),
  };
  ofApp('a').request(REQUEST, exchange).cancel('enough');
  ofApp('a').request(REQUEST, exchange);
  await vi.waitFor(() => expect(socket.requests).toHaveLength(1));
  expect(outcomes).toMatchObject([{ kind: 'not_executed', reason: { code: 'CALL_CANCELLED' } }]);
});

it('refuses a call whose session has ended since the lookup', async () => {
  const { register, open, directory, bridges } = bridgeBench();
  const { ofSessions } = createBridgeSource({ directory, bridges, prepare: createPreparedTools(100) });
  const session = await register('a', 'echo');
  const { socket } = await open(session);
  await directory.remove('a', session.id);
  const outcomes: Outcome[] = [];
  ofSessions.request(
    { ...REQUEST, view: session },
    {
      notify: () => undefined,
      ask: () => ({ withdraw: () => undefined }),
      settle: (outcome) => void outcomes.push(outcome),
    },
  );
  expect(outcomes).toMatchObject([{ kind: 'not_executed', reason: { code: 'SESSION_UNKNOWN' } }]);
  expect(socket.requests).toEqual([]);
});

it('does not look a session up again if it is the view of the call', async () => {
  const { register, open, directory, bridges } = bridgeBench();
  const lookUp = (): never => {
    throw new Error('The session is known.');
  };
  const prepare = createPreparedTools(100);
  const known = {
    isLive: (session: Session) => directory.isLive(session),
    onChange: () => () => undefined,
    find: lookUp,
    list: lookUp,
  };
  const { ofSessions } = createBridgeSource({ directory: known, bridges, prepare });
  const view = await register('a', 'echo');
  const { socket } = await open(view);
  expect(createSessionCatalog(known, prepare).resolve(view, 'echo')?.server).toBe('a');
  ofSessions.request(
    { ...REQUEST, view },
    { notify: () => undefined, ask: () => ({ withdraw: () => undefined }), settle: () => undefined },
  );
  expect(socket.requests).toHaveLength(1);
});
