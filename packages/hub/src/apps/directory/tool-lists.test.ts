import { describe, expect, it } from 'vitest';
import { toolNamed } from '../../../../../test/kit/session-bench.ts';
import { areSameTools, createToolLists, REMEMBERED_LISTS } from './tool-lists.ts';

const listOf = (...names: string[]) => names.map((name) => toolNamed(name));

describe('shared tools', () => {
  it('are stored once if an app has registered equal ones', () => {
    const shared = createToolLists();
    const first = shared.share('a', listOf('x', 'y'));
    shared.share('a', listOf('z'));
    expect(shared.share('a', listOf('x', 'y'))).toBe(first);
  });

  it('are not shared between apps', () => {
    const shared = createToolLists();
    const first = shared.share('a', listOf('x'));
    expect(shared.share('b', listOf('x'))).not.toBe(first);
  });

  it('are forgotten with the last session of their app', () => {
    const shared = createToolLists();
    const first = shared.share('a', listOf('x'));
    shared.release('a', first);
    expect(shared.share('a', listOf('x'))).not.toBe(first);
  });

  it('are counted once while they are in use', () => {
    const shared = createToolLists();
    const none = shared.bytesWith('a', []);
    const one = shared.share('a', listOf('x'));
    const bytes = shared.bytesWith('a', []);
    expect(none).toBe(0);
    expect(bytes).toBeGreaterThan(20);
    expect(shared.bytesWith('a', listOf('x'))).toBe(bytes);
    expect(shared.bytesWith('a', listOf('y'))).toBe(2 * bytes);
    shared.share('a', listOf('x'));
    shared.share('a', listOf('y'));
    expect(shared.bytesWith('a', [])).toBe(2 * bytes);
    shared.release('a', one);
    expect(shared.bytesWith('a', [])).toBe(2 * bytes);
    shared.release('a', one);
    shared.release('a', one);
    expect(shared.bytesWith('a', [])).toBe(bytes);
    expect(shared.bytesWith('b', [])).toBe(0);
  });

  it('are remembered up to a limit, latest first', () => {
    const shared = createToolLists();
    const first = shared.share('a', listOf('first'));
    const second = shared.share('a', listOf('second'));
    for (let count = 0; count < REMEMBERED_LISTS - 1; count++) shared.share('a', listOf(`${count}`));
    expect(shared.share('a', listOf('second'))).toBe(second);
    expect(shared.share('a', listOf('first'))).not.toBe(first);
  });
});

const tool = toolNamed('x');

it.each(Object.keys(tool))('distinguishes tools that differ in %s', (field) => {
  expect(areSameTools([tool], [{ ...tool }])).toBe(true);
  expect(areSameTools([tool], [{ ...tool, [field]: 'other' }])).toBe(false);
  expect(areSameTools([tool], [tool, tool])).toBe(false);
});
