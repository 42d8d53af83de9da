import { describe, expect, it } from 'vitest';
import { absolutePath, fromEntries, valueAt, withValue } from './data-model.ts';

const model = { user: { name: 'Ada' }, items: [{ n: 1 }, { n: 2 }] };

describe('a path', () => {
  it.each([
    ['/user/name', 'Ada'],
    ['user.name', 'Ada'],
    ['/items/1/n', 2],
    ['items[1].n', 2],
    ['/', model],
    ['/user/none', undefined],
    ['/user/name/length', undefined],
    ['/items/length', 2],
    ['/__proto__', undefined],
    ['/user/constructor', undefined],
  ])('%j leads to %j', (path, value) => {
    // A list has a length of its own, as JavaScript sees it; nothing else is there that is not data.
    expect(valueAt(model, path)).toEqual(value);
  });

  it.each([
    ['name', '/items/0', '/items/0/name'],
    ['/name', '/items/0', '/name'],
    ['name', '/', '/name'],
    ['.', '/items/0', '/items/0/'],
  ])('%j at %j is %j', (path, at, absolute) => {
    expect(absolutePath(path, at)).toBe(absolute);
  });
});

describe('a value', () => {
  it('is set without touching the model that was there', () => {
    expect(withValue(model, '/user/name', 'Bob')).toEqual({ ...model, user: { name: 'Bob' } });
    expect(withValue(model, '/items/0/n', 7)).toMatchObject({ items: [{ n: 7 }, { n: 2 }] });
    expect(withValue(model, '/a/b/c', 1)).toMatchObject({ a: { b: { c: 1 } } });
    expect(withValue(model, '/', { x: 1 })).toEqual({ x: 1 });
    expect(model).toEqual({ user: { name: 'Ada' }, items: [{ n: 1 }, { n: 2 }] });
  });

  it('makes no holes in lists and no members of prototypes', () => {
    expect(withValue(model, '/items/9', 1)).toEqual(model);
    expect(withValue(model, '/items/x', 1)).toEqual(model);
    expect(withValue(model, '/items/2', 1)).toMatchObject({ items: [{ n: 1 }, { n: 2 }, 1] });
    const changed = withValue({}, '/__proto__/polluted', true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(JSON.stringify(changed)).toBe('{"__proto__":{"polluted":true}}');
    expect(valueAt(changed, '/__proto__/polluted')).toBe(true);
  });
});

it('entries become plain JSON, texts of JSON among them', () => {
  const entries = [
    { key: 'a', value: 'x' },
    { key: 'm', entries: [{ key: '0', entries: [{ key: 'n', value: 1 }] }] },
    { key: 'list', value: '["a", {"b": 1}]' },
    { key: 'text', value: '[no list' },
    { key: 'dot.ted', value: false },
  ];
  expect(fromEntries(entries, 64)).toEqual({
    a: 'x',
    m: { 0: { n: 1 } },
    list: ['a', { b: 1 }],
    text: '[no list',
    dot: { ted: false },
  });
  expect(fromEntries([{ key: '.', value: 'whole' }], 64)).toBe('whole');
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  expect(fromEntries([{ key: '.', value: deep }], 64)).toBe(deep);
});
