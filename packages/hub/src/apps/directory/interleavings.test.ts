/** Compares the directory with a plain list for any order of operations. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { registrationOf, sessionBench, toolNamed } from '../../../../../test/kit/session-bench.ts';
import type { StoredAppSession } from '../../core/ports.ts';
import type { Session } from './session-directory.ts';

const TTL = 1_000;
const APPS = ['a', 'b', 'c'] as const;
const CREDENTIALS = ['one', 'two'] as const;

const pick = fc.nat(7);
const anyApp = fc.constantFrom(...APPS);
const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), app: anyApp, tool: fc.nat(2) }),
  fc.record({ kind: fc.constant('remove' as const), app: anyApp, pick }),
  fc.record({ kind: fc.constant('replace' as const), pick, back: fc.nat(2), tool: fc.nat(2) }),
  fc.record({ kind: fc.constant('renew' as const), pick }),
  fc.record({ kind: fc.constant('lease' as const), pick, credential: fc.constantFrom(...CREDENTIALS) }),
  fc.record({ kind: fc.constant('release' as const), pick, back: fc.nat(2) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, TTL / 3, TTL / 2, TTL) }),
  fc.record({ kind: fc.constant('sweep' as const) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Expected {
  readonly id: string;
  readonly app: string;
  tool: string;
  credential: string | undefined;
  epoch: number;
  isBridged: boolean;
  lastUsed: number;
}

/** Tools carry the name of their app, so that a foreign one is noticed. */
const toolOf = (app: string, number: number): string => `${app}-tool-${number}`;

async function play(steps: readonly Step[]): Promise<void> {
  const {
    clock,
    store,
    changes,
    directory: first,
    reopen,
  } = sessionBench({
    appSessionTtlMs: TTL,
    maxSessionsPerApp: 3,
    maxAppSessions: 7,
  });
  let directory = first;
  let model: Expected[] = [];
  const ids: string[] = [];
  const sessions = new Map<string, Session>();
  const isAlive = (each: Expected): boolean => each.isBridged || clock.at - each.lastUsed < TTL;
  const alive = (id: string): Expected | undefined => model.find((each) => each.id === id && isAlive(each));
  const chosen = (at: number): string => ids[ids.length - 1 - (at % Math.max(ids.length, 1))] ?? 'none';

  const take: { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => Promise<void> | void } = {
    async create({ app, tool }) {
      const own = model.filter((each) => each.app === app);
      const name = toolOf(app, tool);
      if (own.length >= 3 || model.length >= 7) model = model.filter(isAlive);
      if (model.filter((each) => each.app === app).length >= 3 || model.length >= 7) {
        await expect(directory.create(app, registrationOf(name))).rejects.toThrow(/sessions/);
        return;
      }
      const session = await directory.create(app, registrationOf(name));
      const { id } = session;
      expect(ids).not.toContain(id);
      sessions.set(id, session);
      ids.push(id);
      const rest = { credential: undefined, epoch: 0, isBridged: false };
      model.push({ id, app, tool: name, ...rest, lastUsed: clock.at });
    },
    async remove({ app, pick: at }) {
      const known = alive(chosen(at));
      const isOwn = known?.app === app;
      expect(await directory.remove(app, chosen(at))).toBe(isOwn);
      if (isOwn) model = model.filter((each) => each !== known);
    },
    async replace({ pick: at, back, tool }) {
      const known = alive(chosen(at));
      const session = sessions.get(chosen(at));
      if (session === undefined) return;
      const isCurrent = known?.isBridged === true && back === 0;
      const name = toolOf(session.app, tool);
      const lease = { session, epoch: (known?.epoch ?? 0) - back };
      expect(await directory.replaceTools(lease, [toolNamed(name)])).toBe(isCurrent);
      if (isCurrent) known.tool = name;
    },
    async renew({ pick: at }) {
      const known = alive(chosen(at));
      const session = sessions.get(chosen(at));
      if (session !== undefined) await directory.renew(session);
      if (known !== undefined) known.lastUsed = clock.at;
    },
    async lease({ pick: at, credential }) {
      const known = alive(chosen(at));
      const session = sessions.get(chosen(at));
      if (session === undefined) return;
      const leased = directory.lease(session, credential);
      if (known === undefined) expect(await leased).toBeUndefined();
      else if ((known.credential ?? credential) !== credential)
        await expect(leased).rejects.toThrow(/credential/);
      else {
        expect((await leased)?.epoch).toBe(known.epoch + 1);
        Object.assign(known, { credential, epoch: known.epoch + 1, isBridged: true });
      }
    },
    async release({ pick: at, back }) {
      const known = alive(chosen(at));
      const isCurrent = known?.isBridged === true && back === 0;
      const session = sessions.get(chosen(at));
      if (session === undefined) return;
      const lease = { session, epoch: (known?.epoch ?? 0) - back };
      expect(await directory.release(lease)).toBe(isCurrent);
      if (isCurrent) Object.assign(known, { isBridged: false, lastUsed: clock.at });
    },
    wait({ ms }) {
      clock.at += ms;
    },
    async sweep() {
      const gone = model.filter((each) => !isAlive(each)).map(({ id }) => id);
      const swept = await directory.sweep();
      expect(swept.map(({ id }) => id).toSorted()).toEqual(gone.toSorted());
      model = model.filter(isAlive);
    },
    async restart() {
      directory = reopen();
      for (const session of await directory.list()) sessions.set(session.id, session);
      for (const each of model) Object.assign(each, { isBridged: false, lastUsed: clock.at });
    },
  };

  async function check(): Promise<void> {
    for (const app of APPS) {
      const own = model.filter((each) => each.app === app && isAlive(each));
      const listed = await directory.list(app);
      expect(listed.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
      for (const { tools } of listed)
        for (const { name } of tools) expect(name.startsWith(`${app}-`)).toBe(true);
      for (const id of ids)
        expect((await directory.find(id, app))?.id).toBe(own.find((each) => each.id === id)?.id);
    }
    for (const id of ids) {
      const known = alive(id);
      const session = await directory.find(id);
      expect(directory.isLive(sessions.get(id)!)).toBe(known !== undefined);
      expect([session?.tools[0]?.name, session?.bridge?.epoch]).toEqual([
        known?.tool,
        known?.isBridged === true ? known.epoch : undefined,
      ]);
    }
    expect(store.load().map(keptOf)).toEqual(model.map(keptOf));
  }

  for (const each of steps) {
    await take[each.kind](each as never);
    await check();
  }
  const epochs = new Map<string, number>();
  for (const { kind, session } of changes) {
    if (kind === 'expired') expect(session.bridge).toBeUndefined();
    if (kind === 'attached') epochs.set(session.id, (epochs.get(session.id) ?? 0) + 1);
  }
  for (const [id, count] of epochs) {
    const known = model.find((each) => each.id === id);
    if (known !== undefined) expect(known.epoch).toBe(count);
  }
}

const keptOf = (each: StoredAppSession | Expected): unknown[] => [
  each.id,
  each.app,
  'tools' in each ? each.tools[0]?.name : each.tool,
  each.credential,
  each.epoch,
];

it('separates apps, grows epochs, keeps sessions with bridges, and agrees with the store', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), play), { numRuns: 300 });
});
