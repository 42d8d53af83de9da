import { expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { appActions, type AppParts } from './app-actions.ts';

function bench(parts: AppParts) {
  const actions = appActions(parts);
  return (route: 'GET sessions' | 'DELETE sessions', query: Record<string, string> = {}): unknown =>
    actions[route]!({ query: new URLSearchParams(query), body: undefined });
}

const codeOf = (run: () => unknown): string => {
  try {
    run();
    return 'no error';
  } catch (error) {
    return PincerError.from(error).code;
  }
};

it('lists sessions, of all apps or one, and ends one', () => {
  const sessions = [
    { id: '1', app: 'notes' },
    { id: '2', app: 'draw' },
  ];
  const ended: string[] = [];
  const run = bench({
    appSessions: {
      list: () => sessions,
      end: (id) => sessions.some((each) => each.id === id && ended.push(id) > 0),
    },
  });
  expect(run('GET sessions')).toEqual({ hasProxy: true, sessions });
  expect(run('GET sessions', { app: 'draw' })).toEqual({ hasProxy: true, sessions: [sessions[1]] });
  expect(run('GET sessions', { app: '' })).toEqual({ hasProxy: true, sessions: [] });
  run('DELETE sessions', { id: '2' });
  expect(codeOf(() => run('DELETE sessions', { id: '3' }))).toBe('SESSION_UNKNOWN');
  expect(codeOf(() => run('DELETE sessions'))).toBe('SESSION_UNKNOWN');
  expect(ended).toEqual(['2']);
});

it('has none where no app proxy runs', () => {
  const run = bench({});
  expect(run('GET sessions')).toEqual({ hasProxy: false, sessions: [] });
  expect(codeOf(() => run('DELETE sessions', { id: '1' }))).toBe('SESSION_UNKNOWN');
});
