import { expect, it } from 'vitest';
import { NO_CLIENT } from '../../../../test/kit/control.ts';
import { PincerError } from '../core/errors.ts';
import type { AppSessionReport } from './contract/machine.ts';
import { appActions, type AppParts } from './machine-actions.ts';

function bench(parts: AppParts) {
  const actions = appActions(parts);
  return (route: 'GET sessions' | 'DELETE sessions', query: Record<string, string> = {}): unknown =>
    actions[route]({ query: new URLSearchParams(query), body: undefined, ...NO_CLIENT });
}

const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run();
    return 'no error';
  } catch (error) {
    return PincerError.from(error).code;
  }
};

it('lists the sessions of all apps or one, and ends a session', async () => {
  const sessions = [
    { id: '1', app: 'notes' },
    { id: '2', app: 'draw' },
  ] as AppSessionReport[];
  const ended: string[] = [];
  const run = bench({
    appSessions: {
      list: async () => sessions,
      end: async (id) => sessions.some((each) => each.id === id && ended.push(id) > 0),
    },
  });
  expect(await run('GET sessions')).toEqual({ hasProxy: true, sessions });
  expect(await run('GET sessions', { app: 'draw' })).toEqual({ hasProxy: true, sessions: [sessions[1]] });
  expect(await run('GET sessions', { app: '' })).toEqual({ hasProxy: true, sessions: [] });
  await run('DELETE sessions', { id: '2' });
  expect(await codeOf(() => run('DELETE sessions', { id: '3' }))).toBe('SESSION_UNKNOWN');
  expect(await codeOf(() => run('DELETE sessions'))).toBe('SESSION_UNKNOWN');
  expect(ended).toEqual(['2']);
});

it('has no sessions without an app proxy', async () => {
  const run = bench({});
  expect(await run('GET sessions')).toEqual({ hasProxy: false, sessions: [] });
  expect(await codeOf(() => run('DELETE sessions', { id: '1' }))).toBe('SESSION_UNKNOWN');
});
