/** Whatever happens in whatever order, against a model that is a plain list. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { registrationOf, sessionBench, toolNamed } from '../../../../../../test/kit/session-bench.ts';
import type { StoredAppSession } from '../../../core/ports.ts';

const TTL = 1_000;
const APPS = ['a', 'b', 'c'] as const;
const CREDENTIALS = ['one', 'two'] as const;

const pick = fc.nat(7);
const anyApp = fc.constantFrom(...APPS);
const step = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), app: anyApp, tool: fc.nat(2) }),
  fc.record({ kind: fc.constant('remove' as const), app: anyApp, pick }),
  fc.record({ kind: fc.constant('replace' as const), pick, tool: fc.nat(2) }),
  fc.record({ kind: fc.constant('touch' as const), pick }),
  fc.record({ kind: fc.constant('attach' as const), pick, credential: fc.constantFrom(...CREDENTIALS) }),
  fc.record({ kind: fc.constant('detach' as const), pick, back: fc.nat(2) }),
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

/** An app's tools carry its name, so that one which strays is seen. */
const toolOf = (app: string, number: number): string => `${app}-tool-${number}`;

function play(steps: readonly Step[]): void {
  const {
    clock,
    store,
    changes,
    book: first,
    reopen,
  } = sessionBench({
    appSessionTtlMs: TTL,
    maxSessionsPerApp: 3,
    maxAppSessions: 7,
  });
  let book = first;
  let model: Expected[] = [];
  const ids: string[] = [];
  const isAlive = (each: Expected): boolean => each.isBridged || clock.at - each.lastUsed < TTL;
  const alive = (id: string): Expected | undefined => model.find((each) => each.id === id && isAlive(each));
  const chosen = (at: number): string => ids[ids.length - 1 - (at % Math.max(ids.length, 1))] ?? 'none';

  const take: { [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => void } = {
    create({ app, tool }) {
      const own = model.filter((each) => each.app === app);
      const name = toolOf(app, tool);
      if (own.length >= 3 || model.length >= 7) model = model.filter(isAlive);
      if (model.filter((each) => each.app === app).length >= 3 || model.length >= 7) {
        expect(() => book.create(app, registrationOf(name))).toThrow(/sessions/);
        return;
      }
      const { id } = book.create(app, registrationOf(name));
      expect(ids).not.toContain(id);
      ids.push(id);
      const rest = { credential: undefined, epoch: 0, isBridged: false };
      model.push({ id, app, tool: name, ...rest, lastUsed: clock.at });
    },
    remove({ app, pick: at }) {
      const known = alive(chosen(at));
      const isOwn = known?.app === app;
      expect(book.remove(app, chosen(at))).toBe(isOwn);
      if (isOwn) model = model.filter((each) => each !== known);
    },
    replace({ pick: at, tool }) {
      const known = alive(chosen(at));
      const name = toolOf(known?.app ?? 'nobody', tool);
      expect(book.replaceTools(chosen(at), [toolNamed(name)])).toBe(known !== undefined);
      if (known !== undefined) known.tool = name;
    },
    touch({ pick: at }) {
      const known = alive(chosen(at));
      book.touch(chosen(at));
      if (known !== undefined) known.lastUsed = clock.at;
    },
    attach({ pick: at, credential }) {
      const id = chosen(at);
      const known = alive(id);
      if (known === undefined) expect(book.attach(id, credential)).toBeUndefined();
      else if ((known.credential ?? credential) !== credential)
        expect(() => book.attach(id, credential)).toThrow(/credential/);
      else {
        expect(book.attach(id, credential)).toEqual({ epoch: known.epoch + 1 });
        Object.assign(known, { credential, epoch: known.epoch + 1, isBridged: true });
      }
    },
    detach({ pick: at, back }) {
      const known = alive(chosen(at));
      const isCurrent = known?.isBridged === true && back === 0;
      expect(book.detach(chosen(at), (known?.epoch ?? 0) - back)).toBe(isCurrent);
      if (isCurrent) Object.assign(known, { isBridged: false, lastUsed: clock.at });
    },
    wait({ ms }) {
      clock.at += ms;
    },
    sweep() {
      const gone = model.filter((each) => !isAlive(each)).map(({ id }) => id);
      expect(
        book
          .sweep()
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(gone.toSorted());
      model = model.filter(isAlive);
    },
    restart() {
      book = reopen();
      for (const each of model) Object.assign(each, { isBridged: false, lastUsed: clock.at });
    },
  };

  function check(): void {
    for (const app of APPS) {
      const own = model.filter((each) => each.app === app && isAlive(each));
      expect(book.of(app).map(({ id }) => id)).toEqual(own.map(({ id }) => id));
      for (const { tools } of book.of(app))
        for (const { name } of tools) expect(name.startsWith(`${app}-`)).toBe(true);
      for (const id of ids) expect(book.findFor(app, id)?.id).toBe(own.find((each) => each.id === id)?.id);
    }
    for (const id of ids) {
      const known = alive(id);
      const session = book.find(id);
      expect([session?.tools[0]?.name, session?.bridge?.epoch]).toEqual([
        known?.tool,
        known?.isBridged === true ? known.epoch : undefined,
      ]);
      const current = [0, 1, 2].map((back) => book.isCurrent(id, (known?.epoch ?? 0) - back));
      expect(current).toEqual([known?.isBridged === true, false, false]);
    }
    expect(store.load().map(keptOf)).toEqual(model.map(keptOf));
  }

  for (const each of steps) {
    take[each.kind](each as never);
    check();
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

it('apps see their own sessions and tools alone, epochs grow, bridges keep sessions, and the store agrees', () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), play), { numRuns: 300 });
});
