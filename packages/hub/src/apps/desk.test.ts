import { expect, it } from 'vitest';
import { bridgeBench } from '../../../../test/kit/bridge-bench.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import type { Happened } from './app-event.ts';
import { createDesk } from './desk.ts';

it('tells whoever runs the hub of a store that fails, and nobody of what apps do wrong', async () => {
  const { directory, links, store } = bridgeBench();
  const failures: unknown[] = [];
  const events: Happened[] = [];
  const desk = createDesk({
    directory,
    links,
    limits: DEFAULT_LIMITS,
    onEvent: (event) => events.push(event),
    onFailed: (error) => failures.push(error),
  });
  const visitor = { app: 'a', credential: 'key' };
  const register = (body: object): Promise<string> => desk.register(visitor, jsonBytes(body));
  const id = await register({ tools: [] });
  await expect(register({})).rejects.toThrow('tools');
  expect(await desk.remove(visitor, 'made-up')).toBe(false);
  expect(failures).toEqual([]);
  store.isBroken = true;
  await expect(register({ tools: [] })).rejects.toThrow('disk');
  await expect(desk.remove(visitor, id)).rejects.toThrow('disk');
  expect(failures).toHaveLength(2);
  expect(events.slice(-2)).toMatchObject([
    { method: 'sessions/create', code: 'INTERNAL' },
    { method: 'sessions/delete', code: 'INTERNAL', session: id },
  ]);
});
