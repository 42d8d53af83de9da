import { expect, it } from 'vitest';
import { sessionBench, toolNamed } from '../../../../../test/kit/session-bench.ts';
import type { AppTool, Session } from '../directory/session-directory.ts';
import { createPreparedTools, MAX_KEPT_BYTES } from './prepared-tools.ts';

const { directory } = sessionBench();
const LONG = 1024 * 1024;

const sessionOf = async (app: string, tools: readonly AppTool[]): Promise<Session> => ({
  ...(await directory.create(app, {
    deviceId: undefined,
    deviceName: undefined,
    appVersion: undefined,
    chatId: undefined,
    tools,
  })),
  tools,
});

it('names the app of a tool even if two apps have the same list', async () => {
  const prepare = createPreparedTools(100);
  const tools = [toolNamed('x')];
  const sessions = await Promise.all(['a', 'b', 'a'].map((app) => sessionOf(app, tools)));
  const servers = sessions.map((session) => prepare(session).find('x')?.server);
  expect(servers).toEqual(['a', 'b', 'a']);
});

it('prepares a list once, and keeps a limited number', async () => {
  const prepare = createPreparedTools(2 * LONG);
  const lists = Array.from({ length: (2 * MAX_KEPT_BYTES) / LONG }, (_, at) => [
    toolNamed(`t${at}`, 'd'.repeat(LONG)),
  ]);
  const sessions = await Promise.all(lists.map((tools) => sessionOf('a', tools)));
  const made = sessions.map((session) => prepare(session));
  expect(prepare(sessions.at(-1)!)).toBe(made.at(-1));
  expect(prepare(sessions[0]!)).not.toBe(made[0]);
});
