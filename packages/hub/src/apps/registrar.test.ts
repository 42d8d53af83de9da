import { expect, it } from 'vitest';
import { bridgeBench } from '../../../../test/kit/bridge-bench.ts';
import { DEFAULT_LIMITS } from '../core/limits.ts';
import { jsonBytes } from '../core/wire/byte-text.ts';
import type { NewAppEvent } from './calls/bridges.ts';
import { createRegistrar } from './registrar.ts';

it('reports a failing store to the owner of the hub, but not mistakes of apps', async () => {
  const { directory, bridges, store } = bridgeBench();
  const failures: unknown[] = [];
  const events: NewAppEvent[] = [];
  const registrar = createRegistrar({
    directory,
    bridges,
    limits: DEFAULT_LIMITS,
    onEvent: (event) => events.push(event),
    onFailed: (error) => failures.push(error),
  });
  const visitor = { app: 'a', credential: 'key' };
  const register = (body: object): Promise<string> => registrar.register(visitor, jsonBytes(body));
  const id = await register({ tools: [] });
  await expect(register({})).rejects.toThrow('tools');
  expect(await registrar.remove(visitor, 'made-up')).toBe(false);
  expect(failures).toEqual([]);
  store.isBroken = true;
  await expect(register({ tools: [] })).rejects.toThrow('disk');
  await expect(registrar.remove(visitor, id)).rejects.toThrow('disk');
  expect(failures).toHaveLength(2);
  expect(events.slice(-2)).toMatchObject([
    { method: 'sessions/create', code: 'INTERNAL' },
    { method: 'sessions/delete', code: 'INTERNAL', session: id },
  ]);
});
