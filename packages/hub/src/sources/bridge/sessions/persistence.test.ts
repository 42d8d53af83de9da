import { describe, expect, it } from 'vitest';
import { registrationOf, sessionBench, toolNamed } from '../../../../../../test/kit/session-bench.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import type { StoredAppSession } from '../../../core/ports.ts';
import { createSessionBook } from './session-book.ts';

describe('after a restart', () => {
  it('sessions are there as they were, without their bridges', () => {
    const { book, reopen } = sessionBench();
    const [one, two] = ['x', 'y'].map((name) => book.create('a', registrationOf(name)));
    book.attach(one!.id, 'c');
    book.replaceTools(two!.id, [toolNamed('z')]);
    const again = reopen();
    const summary = ({ id, app, tools, bridge, chatId }: NonNullable<typeof one>) => [
      id,
      app,
      chatId,
      tools.map(({ name }) => name),
      bridge,
    ];
    expect(again.of('a').map(summary)).toEqual([
      [one!.id, 'a', 'chat-1', ['x'], undefined],
      [two!.id, 'a', 'chat-1', ['z'], undefined],
    ]);
  });

  it('equal tools are shared again', () => {
    const { book, reopen } = sessionBench();
    const ids = [0, 1].map(() => book.create('a', registrationOf('x')).id);
    const again = reopen();
    const [one, two] = ids.map((id) => again.find(id)?.tools);
    expect(one).toBe(two);
  });

  it('equal tools of two apps are not, though the store has them once', () => {
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
    const book = createSessionBook({
      now: () => 0,
      newId: () => 'new',
      limits: DEFAULT_LIMITS,
      store: { load: () => stored, save: () => undefined, remove: () => undefined },
    });
    const [a, b, sameA, sameB] = stored.map(({ id }) => book.find(id)!.tools);
    expect(a).toEqual(b);
    expect(a).not.toBe(b);
    expect([sameA === a, sameB === b]).toEqual([true, true]);
  });

  it('no epoch comes a second time', () => {
    const { book, reopen } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    book.attach(id, 'c');
    book.attach(id, 'c');
    const again = reopen();
    expect([1, 2].map((epoch) => again.isCurrent(id, epoch))).toEqual([false, false]);
    expect(again.attach(id, 'c')).toEqual({ epoch: 3 });
  });

  it('a bridge must still prove the credential of the first one', () => {
    const { book, reopen } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    book.attach(id, 'c');
    const again = reopen();
    expect(() => again.attach(id, 'other')).toThrow(expect.objectContaining({ code: 'TOKEN_INVALID' }));
  });

  it('the time to live begins again, since nobody could use a session meanwhile', () => {
    const { book, clock, reopen } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    clock.at += 10 * DEFAULT_LIMITS.appSessionTtlMs;
    const again = reopen();
    expect(again.find(id)?.id).toBe(id);
    clock.at += DEFAULT_LIMITS.appSessionTtlMs;
    expect(again.sweep().map((each) => each.id)).toEqual([id]);
  });

  it('what was removed or has expired stays away', () => {
    const { book, clock, reopen } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    book.create('a', registrationOf('y'));
    book.remove('a', id);
    clock.at += DEFAULT_LIMITS.appSessionTtlMs;
    book.sweep();
    expect(reopen().size).toBe(0);
  });
});

it('to use a session, or to lose its bridge, writes nothing', () => {
  const { book, store } = sessionBench();
  const { id } = book.create('a', registrationOf('x'));
  book.attach(id, 'c');
  const before = store.saves;
  book.touch(id);
  book.detach(id, 1);
  book.touch(id);
  expect(store.saves).toBe(before);
});

it('nothing has changed, and nobody hears of anything, where the store fails', () => {
  const { book, store, clock, changes } = sessionBench();
  const { id } = book.create('a', registrationOf('x'));
  book.attach(id, 'c');
  book.detach(id, 1);
  const heard = changes.length;
  store.isBroken = true;
  expect(() => book.create('a', registrationOf('y'))).toThrow('disk');
  expect(() => book.replaceTools(id, [toolNamed('y')])).toThrow('disk');
  expect(() => book.attach(id, 'c')).toThrow('disk');
  expect(() => book.remove('a', id)).toThrow('disk');
  expect(book.of('a')).toMatchObject([{ id, tools: [{ name: 'x' }], bridge: undefined }]);
  clock.at += DEFAULT_LIMITS.appSessionTtlMs;
  expect(() => book.sweep()).toThrow('disk');
  expect(changes).toHaveLength(heard);
  store.isBroken = false;
  expect(book.sweep().map((each) => each.id)).toEqual([id]);
});

it('a bridge that goes is gone, and its session expires, though the store fails', () => {
  const { book, store, clock, changes } = sessionBench();
  const { id } = book.create('a', registrationOf('x'));
  book.attach(id, 'c');
  book.greet(id, 1);
  // One that does not say hello, which is to be written down when it goes.
  book.attach(id, 'c');
  store.isBroken = true;
  expect(() => book.detach(id, 2)).toThrow('disk');
  expect(changes.at(-1)).toMatchObject({ kind: 'detached' });
  store.isBroken = false;
  expect(book.find(id)?.bridge).toBeUndefined();
  clock.at += DEFAULT_LIMITS.appSessionTtlMs;
  expect(book.sweep().map((each) => each.id)).toEqual([id]);
});
