import { describe, expect, it } from 'vitest';
import { createTaskBook } from './task-book.ts';

describe('a task', () => {
  it('is found by its caller alone', () => {
    const book = createTaskBook();
    book.remember('a', 't-1', 's');
    expect(book.find('a', 't-1')).toBe('s');
    expect(book.find('b', 't-1')).toBeUndefined();
    expect(book.find('a', 't-2')).toBeUndefined();
  });

  it('of each caller is its own, though the ids are the same', () => {
    const book = createTaskBook();
    book.remember('a', 't', 's');
    book.remember('b', 't', 'u');
    expect([book.find('a', 't'), book.find('b', 't')]).toEqual(['s', 'u']);
  });

  it('stays with the server that made its id up first', () => {
    const book = createTaskBook();
    book.remember('a', 't', 's');
    book.remember('a', 't', 'thief');
    expect(book.find('a', 't')).toBe('s');
  });

  it.each(['__proto__', 'constructor', ''])('may have an id like %j', (id) => {
    const book = createTaskBook();
    expect(book.find('a', id)).toBeUndefined();
    expect(book.find(id, 't')).toBeUndefined();
    book.remember('a', id, 's');
    expect(book.find('a', id)).toBe('s');
  });

  it('is forgotten when there are too many, the oldest first, and those of others stay', () => {
    const book = createTaskBook();
    book.remember('b', 'kept', 's');
    for (let index = 0; index <= 10_000; index++) book.remember('a', `t-${index}`, 's');
    expect(book.find('a', 't-0')).toBeUndefined();
    expect(book.find('a', 't-1')).toBe('s');
    expect(book.find('a', 't-10000')).toBe('s');
    expect(book.find('b', 'kept')).toBe('s');
  });
});
