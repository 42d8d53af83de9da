import { describe, expect, it } from 'vitest';
import { createTaskBook } from './task-ids.ts';

describe('a task id of the hub', () => {
  it('is random, and stays the same for the same task and caller', () => {
    const ids = createTaskBook().of('a', 's');
    expect(ids.toCaller('t')).toMatch(/^[0-9a-f]{32}$/);
    expect(ids.toCaller('t')).toBe(ids.toCaller('t'));
    expect(createTaskBook().of('a', 's').toCaller('t')).not.toBe(ids.toCaller('t'));
  });

  it('differs for each server and each caller', () => {
    const book = createTaskBook();
    const ids = [
      book.of('a', 's').toCaller('t'),
      book.of('a', 'u').toCaller('t'),
      book.of('b', 's').toCaller('t'),
    ];
    expect(new Set(ids).size).toBe(3);
    expect(ids.map((id) => book.find('a', id)?.server)).toEqual(['s', 'u', undefined]);
    expect(book.find('b', ids[2]!)).toMatchObject({ server: 's', task: 't' });
  });

  it('leads only to its own server', () => {
    const book = createTaskBook();
    const id = book.of('a', 's').toCaller('t');
    expect(book.of('a', 's').toServer(id)).toBe('t');
    expect(book.of('a', 'u').toServer(id)).toBeUndefined();
    expect(book.of('b', 's').toServer(id)).toBeUndefined();
    expect(book.of('a', 's').toServer('t')).toBeUndefined();
  });

  it.each(['__proto__', 'constructor', ''])('works for a task called %j', (task) => {
    const book = createTaskBook();
    expect(book.find('a', task)).toBeUndefined();
    expect(book.find(task, 't')).toBeUndefined();
    expect(book.find('a', book.of('a', 's').toCaller(task))).toMatchObject({ task });
  });

  it('leads nowhere after another program took the server’s name', () => {
    let origin = 'old';
    const book = createTaskBook(() => origin);
    const ids = book.of('a', 's');
    const id = ids.toCaller('t');
    origin = 'new';
    expect([book.find('a', id), ids.toServer(id)]).toEqual([undefined, undefined]);
    expect(ids.toCaller('t')).not.toBe(id);
    expect(book.find('a', ids.toCaller('t'))).toMatchObject({ task: 't' });
  });

  it('is forgotten when its server has too many, the oldest first; other servers keep theirs', () => {
    const book = createTaskBook();
    const kept = book.of('a', 'quiet').toCaller('t');
    const ids = Array.from({ length: 10_001 }, (_, index) => book.of('a', 's').toCaller(`t-${index}`));
    expect(book.find('a', ids[0]!)).toBeUndefined();
    expect(book.find('a', ids[1]!)).toMatchObject({ task: 't-1' });
    expect(book.find('a', ids.at(-1)!)).toMatchObject({ task: 't-10000' });
    expect(book.find('a', kept)).toBeDefined();
  });

  it('leads nowhere if the server’s own id is too long', () => {
    const book = createTaskBook();
    expect(book.find('a', book.of('a', 's').toCaller('t'.repeat(1_025)))).toBeUndefined();
  });
});
