/** What every session directory must do, on any storage. An implementation calls `directoryContract` in its test. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  Lease,
  Session,
  SessionChange,
  SessionDirectory,
} from '../../packages/hub/src/apps/directory/session-directory.ts';
import { DEFAULT_LIMITS, type Limits } from '../../packages/hub/src/core/limits.ts';
import { registrationOf, toolNamed } from './session-bench.ts';

/** One storage, and the directories opened on it. */
export interface DirectoryPlace {
  readonly clock: { at: number };
  /** Opens a directory on what the last one left, as a hub does after it was stopped or killed. */
  open(limits: Limits): SessionDirectory | Promise<SessionDirectory>;
  close(): void | Promise<void>;
}

const TTL = DEFAULT_LIMITS.appSessionTtlMs;
const REFUSED = expect.objectContaining({ code: 'TOKEN_INVALID' }) as unknown;
const idsOf = (sessions: readonly Session[]): string[] => sessions.map(({ id }) => id);
const namesOf = (session: Session | undefined): string[] | undefined =>
  session?.tools.map(({ name }) => name);

export function directoryContract(name: string, makePlace: () => DirectoryPlace): void {
  let place: DirectoryPlace;
  let directory: SessionDirectory;
  let changes: SessionChange[];

  async function open(limits: Partial<Limits> = {}): Promise<void> {
    directory = await place.open({ ...DEFAULT_LIMITS, ...limits });
    directory.onChange((change) => changes.push(change));
  }
  const recorded = (): string[] => changes.map(({ kind, session }) => `${kind} ${session.id}`);
  const create = (app = 'a', ...tools: string[]): Promise<Session> =>
    directory.create(app, registrationOf(...(tools.length === 0 ? ['x'] : tools)));
  async function lease(session: Session, credential = 'c'): Promise<Lease> {
    const granted = await directory.lease(session, credential);
    if (granted === undefined) throw new Error('The session has ended.');
    return granted;
  }
  /** Whether the lease may still act. Does not change the tools. */
  const isCurrent = (granted: Lease): Promise<boolean> =>
    directory.replaceTools(granted, granted.session.tools);
  async function again(session: Session): Promise<Session> {
    const found = await directory.find(session.id);
    if (found === undefined) throw new Error('The session is not there.');
    return found;
  }

  beforeEach(async () => {
    place = makePlace();
    changes = [];
    await open();
  });
  afterEach(() => place.close());

  describe(`${name}: a session`, () => {
    it('returns the registration under a fresh id, always as the same object', async () => {
      const registration = { ...registrationOf('echo'), surplus: 'x' };
      const session = await directory.create('notes', registration);
      expect(session).toMatchObject({ ...registrationOf('echo'), app: 'notes', bridge: undefined });
      expect(session).not.toHaveProperty('surplus');
      expect(await directory.find(session.id)).toBe(session);
      expect((await directory.create('notes', registration)).id).not.toBe(session.id);
    });

    it('lists the sessions of its app, the oldest first', async () => {
      const [one, other, two] = [await create('a'), await create('b'), await create('a')];
      expect(idsOf(await directory.list('a'))).toEqual(idsOf([one, two]));
      expect(idsOf(await directory.list())).toEqual(idsOf([one, other, two]));
      expect(directory.size).toBe(3);
    });

    it('hides it from another app, which cannot remove it either', async () => {
      const session = await create('a');
      expect(await directory.find(session.id, 'a')).toBe(session);
      expect(await directory.find(session.id, 'b')).toBeUndefined();
      expect(await directory.list('b')).toEqual([]);
      expect(await directory.remove('b', session.id)).toBe(false);
      expect(directory.isLive(session)).toBe(true);
      expect(recorded()).toEqual([`created ${session.id}`]);
    });

    it('ends when its app removes it', async () => {
      const session = await create();
      const granted = await lease(session);
      expect(await directory.remove('a', session.id)).toBe(true);
      expect(await directory.remove('a', session.id)).toBe(false);
      expect([await directory.find(session.id), await directory.list('a')]).toEqual([undefined, []]);
      expect(directory.isLive(session)).toBe(false);
      expect(await directory.lease(session, 'c')).toBeUndefined();
      expect(await directory.replaceTools(granted, [])).toBe(false);
      expect(await directory.release(granted)).toBe(false);
      expect(changes.at(-1)).toMatchObject({ kind: 'removed', session: { bridge: { epoch: 1 } } });
    });

    it('enforces the limits without counting expired sessions', async () => {
      await open({ maxSessionsPerApp: 2, maxAppSessions: 3 });
      const [first] = [await create('a'), await create('a')];
      const busy = (limit: number): unknown =>
        expect.objectContaining({ code: 'SERVER_BUSY', data: { limit } }) as unknown;
      await expect(create('a')).rejects.toEqual(busy(2));
      await create('b');
      await expect(create('c')).rejects.toEqual(busy(3));
      expect(recorded()).toHaveLength(3);
      await directory.remove('a', first.id);
      await create('c');
      place.clock.at += TTL;
      expect((await create('a')).app).toBe('a');
    });

    it('limits the tools of all sessions of an app; equal lists count once', async () => {
      await open({ maxToolBytesPerApp: 90 });
      const first = await create('a', 'x');
      await create('a', 'x');
      const tooMuch = expect.objectContaining({ code: 'SERVER_BUSY', data: { limit: 90 } }) as unknown;
      await expect(create('a', 'y', 'z')).rejects.toEqual(tooMuch);
      const granted = await lease(first);
      const { tools } = registrationOf('y', 'z');
      await expect(directory.replaceTools(granted, tools)).rejects.toEqual(tooMuch);
      expect(namesOf(first)).toEqual(['x']);
      expect(namesOf(await create('b', 'y'))).toEqual(['y']);
    });
  });

  describe(`${name}: a lease`, () => {
    it('lets its bridge act until it is released', async () => {
      const session = await create();
      const granted = await lease(session);
      expect(granted).toEqual({ session, epoch: 1 });
      expect(session.bridge).toEqual({ epoch: 1 });
      expect(await directory.replaceTools(granted, [toolNamed('y')])).toBe(true);
      expect(namesOf(session)).toEqual(['y']);
      expect(await directory.release(granted)).toBe(true);
      expect(session.bridge).toBeUndefined();
      expect(await isCurrent(granted)).toBe(false);
      expect(await directory.release(granted)).toBe(false);
    });

    it('ignores a stale lease and leaves the later one untouched', async () => {
      const session = await create();
      const stale = await lease(session);
      const current = await lease(session);
      const before = changes.length;
      expect(await directory.replaceTools(stale, [toolNamed('old')])).toBe(false);
      await directory.greet(stale);
      expect(await directory.release(stale)).toBe(false);
      expect([namesOf(session), session.saysHello, session.bridge]).toEqual([['x'], false, { epoch: 2 }]);
      expect(changes).toHaveLength(before);
      expect(await isCurrent(current)).toBe(true);
    });

    it('grants two concurrent requests; exactly one lease is current', async () => {
      const session = await create();
      const both = await Promise.all([lease(session), lease(session)]);
      const epochs = both.map(({ epoch }) => epoch);
      expect(epochs.toSorted((a, b) => a - b)).toEqual([1, 2]);
      const current = await Promise.all(both.map(isCurrent));
      expect(current).toEqual(epochs.map((epoch) => epoch === 2));
      expect(session.bridge).toEqual({ epoch: 2 });
    });

    it('increases the epoch, also after a release and across restarts', async () => {
      const session = await create();
      const first = await lease(session);
      await directory.release(first);
      const second = await lease(session);
      await open();
      const reopened = await again(session);
      expect(await Promise.all([first, second].map(isCurrent))).toEqual([false, false]);
      const third = await lease(reopened);
      await open();
      const fourth = await lease(await again(session));
      expect([first, second, third, fourth].map(({ epoch }) => epoch)).toEqual([1, 2, 3, 4]);
      expect(await Promise.all([third, fourth].map(isCurrent))).toEqual([false, true]);
    });

    it('requires the credential of the first bridge, also between bridges and after a restart', async () => {
      const session = await create();
      const granted = await lease(session, 'mine');
      await expect(directory.lease(session, 'other')).rejects.toEqual(REFUSED);
      expect(await isCurrent(granted)).toBe(true);
      await directory.release(granted);
      await expect(directory.lease(session, 'other')).rejects.toEqual(REFUSED);
      await open();
      const reopened = await again(session);
      await expect(directory.lease(reopened, 'other')).rejects.toEqual(REFUSED);
      expect((await lease(reopened, 'mine')).epoch).toBe(2);
    });

    it('shows which bridge of an app connected last', async () => {
      const [one, two] = [await create(), await create()];
      expect([one.attachedAs, two.attachedAs]).toEqual([0, 0]);
      await lease(two);
      await lease(one);
      expect(one.attachedAs).toBeGreaterThan(two.attachedAs);
    });

    it('records whether its bridge says hello', async () => {
      const session = await create();
      const first = await lease(session);
      await directory.greet(first);
      await directory.release(first);
      expect(session.saysHello).toBe(true);
      await open();
      const reopened = await again(session);
      expect(reopened.saysHello).toBe(true);
      await directory.release(await lease(reopened));
      expect(reopened.saysHello).toBe(false);
    });
  });

  describe(`${name}: expiry`, () => {
    it('counts idle time: keeps a renewed session, and hides an expired one before the sweep', async () => {
      const [used, idle] = [await create(), await create()];
      place.clock.at += TTL - 1;
      await directory.renew(used);
      place.clock.at += 1;
      expect([directory.isLive(used), directory.isLive(idle)]).toEqual([true, false]);
      expect(await directory.find(idle.id)).toBeUndefined();
      expect(idsOf(await directory.list('a'))).toEqual([used.id]);
      await directory.renew(idle);
      expect(await directory.lease(idle, 'c')).toBeUndefined();
      expect(await directory.remove('a', idle.id)).toBe(false);
      expect(idsOf(await directory.sweep())).toEqual([idle.id]);
      expect(await directory.sweep()).toEqual([]);
      expect(directory.size).toBe(1);
    });

    it('pauses while a bridge is open and restarts when it disconnects', async () => {
      const session = await create();
      const granted = await lease(session);
      place.clock.at += 10 * TTL;
      expect(await directory.sweep()).toEqual([]);
      expect(directory.isLive(session)).toBe(true);
      await directory.release(granted);
      place.clock.at += TTL - 1;
      expect(await directory.sweep()).toEqual([]);
      place.clock.at += 1;
      expect(idsOf(await directory.sweep())).toEqual([session.id]);
    });

    it('ignores finding and listing', async () => {
      const session = await create();
      place.clock.at += TTL - 1;
      await directory.find(session.id);
      await directory.list();
      place.clock.at += 1;
      expect(idsOf(await directory.sweep())).toEqual([session.id]);
    });
  });

  describe(`${name}: changes`, () => {
    it('notifies once for each change, in order, until a subscriber leaves', async () => {
      const received: string[] = [];
      const stop = directory.onChange(({ kind, session }) => received.push(`${kind} ${session.id}`));
      const [{ id: one }, two] = [await create(), await create()];
      const granted = await lease(two);
      await directory.replaceTools(granted, [toolNamed('y')]);
      await directory.replaceTools(granted, [toolNamed('y')]);
      await directory.release(granted);
      await directory.remove('a', one);
      place.clock.at += TTL;
      await directory.sweep();
      stop();
      await create();
      expect(received).toEqual([
        `created ${one}`,
        ...['created', 'attached', 'tools', 'detached'].map((kind) => `${kind} ${two.id}`),
        `removed ${one}`,
        `expired ${two.id}`,
      ]);
      expect(recorded().slice(0, received.length)).toEqual(received);
      expect(recorded()).toHaveLength(received.length + 1);
    });
  });

  describe(`${name}: after it is opened again`, () => {
    it('restores the sessions in order, without their bridges', async () => {
      const [one, two] = [await create('a', 'x'), await create('a', 'y')];
      await lease(one);
      await directory.replaceTools(await lease(two), [toolNamed('z')]);
      await open();
      const kept = await directory.list('a');
      expect(kept).toMatchObject([
        { ...registrationOf('x'), id: one.id, app: 'a' },
        { ...registrationOf('z'), id: two.id, app: 'a' },
      ]);
      expect(kept.map(({ bridge }) => bridge)).toEqual([undefined, undefined]);
    });

    it('does not restore removed or expired sessions', async () => {
      const { id } = await create();
      await create();
      await directory.remove('a', id);
      place.clock.at += TTL;
      await directory.sweep();
      await open();
      expect([await directory.list(), directory.size]).toEqual([[], 0]);
    });
  });
}
