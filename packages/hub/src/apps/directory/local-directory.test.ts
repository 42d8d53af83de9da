import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { registrationOf, sessionBench, toolNamed } from '../../../../../test/kit/session-bench.ts';
import { directoryContract } from '../../../../../test/kit/session-directory-contract.ts';
import { openTestStore } from '../../../../../test/kit/store.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Store, StoredAppSession } from '../../core/ports.ts';
import { correlationId } from '../../lib/correlation-id.ts';
import { createLocalDirectory, createSessionIndex, type KeptSession } from './local-directory.ts';

const TTL = DEFAULT_LIMITS.appSessionTtlMs;

directoryContract('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-directory-'));
  const clock = { at: 1_000_000 };
  let store: (Store & { close(): void }) | undefined;
  return {
    clock,
    open(limits) {
      store?.close();
      store = openTestStore(folder, { now: () => clock.at, elapsed: () => clock.at });
      return createLocalDirectory({
        now: () => clock.at,
        newId: correlationId,
        limits,
        store: store.appSessions,
      });
    },
    close() {
      store?.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('tools', () => {
  it('are one list for equal tools of one app, and never shared with another app', async () => {
    const { directory } = sessionBench();
    const [one, two] = [0, 1].map(() => directory.create('a', registrationOf('x', 'y')));
    expect((await one)?.tools).toBe((await two)?.tools);
    expect((await directory.create('b', registrationOf('x', 'y'))).tools).not.toBe((await one)?.tools);
  });

  it('are shared again after a restart', async () => {
    const { directory, reopen } = sessionBench();
    for (let count = 0; count < 2; count++) await directory.create('a', registrationOf('x'));
    const [one, two] = await reopen().list('a');
    expect(one?.tools).toBe(two?.tools);
  });

  it('are two lists for two apps, even if the store has one', async () => {
    const tools = [toolNamed('x')];
    const stored = ['a', 'b', 'a', 'b'].map((app, at): StoredAppSession => ({
      ...registrationOf(),
      id: `${at}`,
      app,
      tools,
      credential: undefined,
      epoch: 0,
      saysHello: false,
    }));
    const directory = createLocalDirectory({
      now: () => 0,
      newId: () => 'new',
      limits: DEFAULT_LIMITS,
      store: { load: () => stored, save: () => undefined, remove: () => undefined },
    });
    const [a, b, sameA, sameB] = (await directory.list()).map((session) => session.tools);
    expect(a).toEqual(b);
    expect(a).not.toBe(b);
    expect([sameA === a, sameB === b]).toEqual([true, true]);
  });

  it('are forgotten with the last session of their app', async () => {
    const { directory } = sessionBench({ maxToolBytesPerApp: 90 });
    const { id, tools } = await directory.create('a', registrationOf('x'));
    await directory.remove('a', id);
    expect((await directory.create('a', registrationOf('x'))).tools).not.toBe(tools);
  });
});

it('never replaces a session whose id comes twice', async () => {
  const { store } = sessionBench();
  const parts = { now: () => 0, newId: () => 'same', limits: DEFAULT_LIMITS, store };
  const directory = createLocalDirectory(parts);
  await directory.create('a', registrationOf('x'));
  await expect(directory.create('b', registrationOf('y'))).rejects.toMatchObject({ code: 'INTERNAL' });
  expect((await directory.find('same'))?.app).toBe('a');
});

it('applies an operation before its promise is returned', () => {
  const { directory, changes } = sessionBench();
  void directory.create('a', registrationOf('x'));
  const { session } = changes[0]!;
  void directory.lease(session, 'c');
  expect(session.bridge).toEqual({ epoch: 1 });
  void directory.replaceTools({ session, epoch: 1 }, [toolNamed('y')]);
  void directory.release({ session, epoch: 1 });
  void directory.remove('a', session.id);
  expect(changes.map(({ kind }) => kind)).toEqual(['created', 'attached', 'tools', 'detached', 'removed']);
});

it('restarts the idle time after a restart of the hub', async () => {
  const { directory, clock, reopen } = sessionBench();
  const { id } = await directory.create('a', registrationOf('x'));
  clock.at += 10 * TTL;
  const again = reopen();
  expect((await again.find(id))?.id).toBe(id);
  clock.at += TTL;
  expect((await again.sweep()).map((each) => each.id)).toEqual([id]);
});

it('writes nothing when a session is used or loses its bridge', async () => {
  const { directory, store } = sessionBench();
  const session = await directory.create('a', registrationOf('x'));
  const lease = await directory.lease(session, 'c');
  const before = store.saves;
  await directory.renew(session);
  await directory.release(lease!);
  await directory.renew(session);
  expect(store.saves).toBe(before);
});

describe('if the store fails', () => {
  it('nothing changes and no change is reported', async () => {
    const { directory, store, clock, changes } = sessionBench();
    const session = await directory.create('a', registrationOf('x'));
    const lease = (await directory.lease(session, 'c'))!;
    const countBefore = changes.length;
    store.isBroken = true;
    await expect(directory.create('a', registrationOf('y'))).rejects.toThrow('disk');
    await expect(directory.replaceTools(lease, [toolNamed('y')])).rejects.toThrow('disk');
    await expect(directory.lease(session, 'c')).rejects.toThrow('disk');
    await expect(directory.remove('a', session.id)).rejects.toThrow('disk');
    expect(await directory.list('a')).toMatchObject([
      { id: session.id, tools: [{ name: 'x' }], bridge: { epoch: 1 } },
    ]);
    expect(changes).toHaveLength(countBefore);
    await directory.release(lease);
    clock.at += TTL;
    await expect(directory.sweep()).rejects.toThrow('disk');
    store.isBroken = false;
    expect((await directory.sweep()).map(({ id }) => id)).toEqual([session.id]);
  });

  it('a closed bridge still counts as closed, and its session expires', async () => {
    const { directory, store, clock, changes } = sessionBench();
    const session = await directory.create('a', registrationOf('x'));
    await directory.greet((await directory.lease(session, 'c'))!);
    // The next bridge does not say hello, which is recorded when it closes.
    const lease = (await directory.lease(session, 'c'))!;
    store.isBroken = true;
    await expect(directory.release(lease)).rejects.toThrow('disk');
    expect(changes.at(-1)).toMatchObject({ kind: 'detached' });
    store.isBroken = false;
    expect(session.bridge).toBeUndefined();
    clock.at += TTL;
    expect((await directory.sweep()).map(({ id }) => id)).toEqual([session.id]);
  });
});

it('visits only expired sessions and one more during a sweep', () => {
  const clock = { at: 0 };
  const looked = new Set<string>();
  const index = createSessionIndex(() => clock.at, TTL);
  const sessions = Array.from({ length: 1_000 }, (_, count): KeptSession => {
    const id = `${count}`;
    const session = {
      ...registrationOf(),
      id,
      app: 'a',
      credential: undefined,
      epoch: 0,
      saysHello: false,
      attachedAs: 0,
      hasGreeted: false,
      lastUsed: 0,
    };
    const bridge = count % 2 === 0 ? undefined : { epoch: 1 };
    return Object.defineProperty({ ...session, bridge }, 'bridge', {
      get() {
        looked.add(id);
        return bridge;
      },
    });
  });
  for (const session of sessions) {
    clock.at++;
    index.add(session);
  }
  looked.clear();
  clock.at = 5 + TTL;
  expect([...index.expired()].map(({ id }) => id)).toEqual(['0', '2', '4']);
  expect([...looked]).toEqual(['0', '2', '4', '6']);
});
