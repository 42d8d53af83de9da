import { describe, expect, it } from 'vitest';
import { registrationOf, sessionBench, toolNamed } from '../../../../../../test/kit/session-bench.ts';
import { DEFAULT_LIMITS } from '../../../core/limits.ts';
import { createSessionBook } from './session-book.ts';

const TTL = DEFAULT_LIMITS.appSessionTtlMs;

describe('a session', () => {
  it('is what the app has registered, under a fresh id', () => {
    const { book } = sessionBench();
    const registration = { ...registrationOf('echo'), surplus: 'x' };
    const session = book.create('notes', registration);
    expect(session).toMatchObject({ ...registrationOf('echo'), id: 'id-1', app: 'notes', bridge: undefined });
    expect(session).not.toHaveProperty('surplus');
    expect(book.find('id-1')).toBe(session);
    expect(book.create('notes', registration).id).toBe('id-2');
  });

  it('lives side by side with others of its app, the oldest first', () => {
    const { book } = sessionBench();
    const both = ['chat-1', 'chat-2'].map((chatId) => book.create('a', { ...registrationOf('x'), chatId }));
    expect(book.of('a')).toEqual(both);
    expect(book.of('a').map(({ chatId }) => chatId)).toEqual(['chat-1', 'chat-2']);
  });

  it('does not exist to another app', () => {
    const { book } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    expect(book.findFor('a', id)?.id).toBe(id);
    expect(book.findFor('b', id)).toBeUndefined();
    expect(book.of('b')).toEqual([]);
    expect(book.remove('b', id)).toBe(false);
    expect(book.find(id)?.id).toBe(id);
  });

  it('is gone once its app has removed it', () => {
    const { book } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    expect(book.remove('a', id)).toBe(true);
    expect(book.remove('a', id)).toBe(false);
    expect([book.find(id), book.of('a'), book.size]).toEqual([undefined, [], 0]);
  });

  it('gets other tools when the app says so', () => {
    const { book, changes } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    expect(book.replaceTools(id, [toolNamed('y')])).toBe(true);
    expect(book.find(id)?.tools).toEqual([toolNamed('y')]);
    expect(book.replaceTools(id, [toolNamed('y')])).toBe(true);
    expect(book.replaceTools('none', [])).toBe(false);
    expect(changes.map(({ kind }) => kind)).toEqual(['created', 'tools']);
  });

  it('shares tools with another of its app that has equal ones', () => {
    const { book } = sessionBench();
    const [one, two] = [0, 1].map(() => book.create('a', registrationOf('x', 'y')));
    expect(one?.tools).toBe(two?.tools);
    expect(book.create('b', registrationOf('x', 'y')).tools).not.toBe(one?.tools);
  });

  it('leaves no tools behind when it was the last of its app', () => {
    const { book } = sessionBench();
    const { id, tools } = book.create('a', registrationOf('x'));
    book.remove('a', id);
    expect(book.create('a', registrationOf('x')).tools).not.toBe(tools);
  });

  it('has no more tools with the others of its app than fit, unless they are the same', () => {
    const { book } = sessionBench({ maxToolBytesPerApp: 90 });
    const first = book.create('a', registrationOf('x'));
    book.create('a', registrationOf('x'));
    const tooMuch = { code: 'SERVER_BUSY', data: { limit: 90 } };
    expect(() => book.create('a', registrationOf('y', 'z'))).toThrow(expect.objectContaining(tooMuch));
    expect(() => book.replaceTools(first.id, registrationOf('y', 'z').tools)).toThrow(
      expect.objectContaining(tooMuch),
    );
    expect(book.find(first.id)?.tools).toHaveLength(1);
    expect(book.create('b', registrationOf('y')).tools).toHaveLength(1);
    for (const { id } of book.of('a')) book.remove('a', id);
    expect(book.create('a', registrationOf('y')).tools).toHaveLength(1);
  });

  it('never takes the place of another whose id came twice', () => {
    const { newId, now } = { newId: () => 'same', now: () => 0 };
    const { store } = sessionBench();
    const book = createSessionBook({ now, newId, limits: DEFAULT_LIMITS, store });
    book.create('a', registrationOf('x'));
    expect(() => book.create('b', registrationOf('y'))).toThrow(
      expect.objectContaining({ code: 'INTERNAL' }),
    );
    expect(book.find('same')?.app).toBe('a');
  });
});

describe('time to live', () => {
  it('counts from when the session was last used', () => {
    const { book, clock } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    clock.at += TTL - 1;
    book.touch(id);
    clock.at += TTL - 1;
    expect(book.sweep()).toEqual([]);
    expect(book.find(id)).toBeDefined();
  });

  it('is over for everyone at once, even before the sweep', () => {
    const { book, clock } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    clock.at += TTL;
    expect([book.find(id), book.findFor('a', id), book.of('a')]).toEqual([undefined, undefined, []]);
    book.touch(id);
    expect(book.attach(id, 'c')).toBeUndefined();
    expect(book.replaceTools(id, [])).toBe(false);
    expect(book.remove('a', id)).toBe(false);
    expect(book.sweep().map((each) => each.id)).toEqual([id]);
    expect([book.sweep(), book.size]).toEqual([[], 0]);
  });

  it('ends those that were not used and no others', () => {
    const { book, clock } = sessionBench();
    const [used, unused, bridged] = ['x', 'y', 'z'].map((name) => book.create('a', registrationOf(name)).id);
    book.attach(bridged!, 'c');
    clock.at += 1_000;
    book.touch(used!);
    clock.at += TTL - 1_000;
    const late = book.create('b', registrationOf('x')).id;
    expect(book.sweep().map(({ id }) => id)).toEqual([unused]);
    expect([used, bridged, late].map((id) => book.find(id!)?.id)).toEqual([used, bridged, late]);
  });

  it('rests while a bridge is there, and begins anew when it goes', () => {
    const { book, clock } = sessionBench();
    const { id } = book.create('a', registrationOf('x'));
    book.attach(id, 'c');
    clock.at += 10 * TTL;
    expect(book.sweep()).toEqual([]);
    book.detach(id, 1);
    clock.at += TTL - 1;
    expect(book.sweep()).toEqual([]);
    clock.at += 1;
    expect(book.sweep().map((each) => each.id)).toEqual([id]);
  });
});

describe('limits', () => {
  const create = (book: ReturnType<typeof sessionBench>['book'], app: string) => () =>
    book.create(app, registrationOf('x'));

  it('refuse one session too many of an app, which then exists nowhere', () => {
    const { book, store, changes } = sessionBench({ maxSessionsPerApp: 2 });
    create(book, 'a')();
    create(book, 'a')();
    const refusal = { code: 'SERVER_BUSY', data: { limit: 2 }, message: expect.stringContaining('App a ') };
    expect(create(book, 'a')).toThrow(expect.objectContaining(refusal));
    expect([book.of('a').length, store.kept.size, changes.length]).toEqual([2, 2, 2]);
    expect(create(book, 'b')().app).toBe('b');
  });

  it('refuse one session too many of all apps together', () => {
    const { book } = sessionBench({ maxAppSessions: 2 });
    create(book, 'a')();
    const { id } = create(book, 'b')();
    expect(create(book, 'c')).toThrow(expect.objectContaining({ code: 'SERVER_BUSY', data: { limit: 2 } }));
    book.remove('b', id);
    expect(create(book, 'c')().app).toBe('c');
  });

  it('do not count what has expired', () => {
    const { book, clock, changes } = sessionBench({ maxSessionsPerApp: 1 });
    create(book, 'a')();
    clock.at += TTL;
    expect(create(book, 'a')().id).toBe('id-2');
    expect(changes.map(({ kind, session }) => `${kind} ${session.id}`)).toEqual([
      'created id-1',
      'expired id-1',
      'created id-2',
    ]);
  });
});

it('a listener hears of each change once, until it no longer wants to', () => {
  const { book, clock } = sessionBench();
  const heard: string[] = [];
  const stop = book.onChange(({ kind, session }) => heard.push(`${kind} ${session.id}`));
  const [one, two] = ['x', 'y'].map((name) => book.create('a', registrationOf(name)).id);
  book.attach(one!, 'c');
  book.detach(one!, 1);
  book.remove('a', one!);
  clock.at += TTL;
  book.sweep();
  stop();
  book.create('a', registrationOf('z'));
  const expected = ['created', 'created', 'attached', 'detached', 'removed', 'expired'];
  const ids = [one, two, one, one, one, two];
  expect(heard).toEqual(expected.map((kind, at) => `${kind} ${ids[at]}`));
});
