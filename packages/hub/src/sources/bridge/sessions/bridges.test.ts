import { describe, expect, it } from 'vitest';
import { registrationOf, sessionBench } from '../../../../../../test/kit/session-bench.ts';

function withSession() {
  const bench = sessionBench();
  return { ...bench, id: bench.book.create('a', registrationOf('x')).id };
}

const REFUSED = expect.objectContaining({ code: 'TOKEN_INVALID' });

describe('a bridge', () => {
  it('is current once it is there, and until it goes', () => {
    const { book, id } = withSession();
    expect(book.isCurrent(id, 0)).toBe(false);
    expect(book.attach(id, 'c')).toEqual({ epoch: 1 });
    expect(book.isCurrent(id, 1)).toBe(true);
    expect(book.find(id)?.bridge).toEqual({ epoch: 1 });
    expect(book.detach(id, 1)).toBe(true);
    expect(book.isCurrent(id, 1)).toBe(false);
    expect(book.find(id)?.bridge).toBeUndefined();
  });

  it('takes over from one that is still there, and everyone hears which', () => {
    const { book, id, changes } = withSession();
    book.attach(id, 'c');
    expect(book.attach(id, 'c')).toEqual({ epoch: 2 });
    expect([1, 2].map((epoch) => book.isCurrent(id, epoch))).toEqual([false, true]);
    expect(changes.at(-1)).toEqual({ kind: 'attached', session: book.find(id) });
  });

  it('that was replaced changes nothing when it goes', () => {
    const { book, id, changes } = withSession();
    book.attach(id, 'c');
    book.attach(id, 'c');
    const before = changes.length;
    expect(book.detach(id, 1)).toBe(false);
    expect(book.isCurrent(id, 2)).toBe(true);
    expect(changes).toHaveLength(before);
  });

  it('with another credential is refused, and the one that is there stays', () => {
    const { book, id, changes } = withSession();
    book.attach(id, 'c');
    const before = changes.length;
    expect(() => book.attach(id, 'other')).toThrow(REFUSED);
    expect(book.isCurrent(id, 1)).toBe(true);
    expect(changes).toHaveLength(before);
  });

  it('with another credential is refused in a gap, too', () => {
    const { book, id } = withSession();
    book.attach(id, 'c');
    book.detach(id, 1);
    expect(() => book.attach(id, 'other')).toThrow(REFUSED);
    expect(book.attach(id, 'c')?.epoch).toBe(2);
  });

  it('finds no session where there is none', () => {
    const { book, id } = withSession();
    book.attach(id, 'c');
    book.remove('a', id);
    expect(book.attach(id, 'c')).toBeUndefined();
    expect(book.isCurrent(id, 1)).toBe(false);
    expect(book.detach(id, 1)).toBe(false);
  });

  it('of a removed session is named to whoever has to close it', () => {
    const { book, id, changes } = withSession();
    book.attach(id, 'c');
    book.remove('a', id);
    expect(changes.at(-1)).toMatchObject({ kind: 'removed', session: { id, bridge: { epoch: 1 } } });
  });
});
