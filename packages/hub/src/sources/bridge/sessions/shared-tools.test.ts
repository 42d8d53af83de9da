import { describe, expect, it } from 'vitest';
import { toolNamed } from '../../../../../../test/kit/session-bench.ts';
import { areSameTools, createSharedTools, REMEMBERED_LISTS } from './shared-tools.ts';

const listOf = (...names: string[]) => names.map((name) => toolNamed(name));

describe('shared tools', () => {
  it('are kept once where an app has registered equal ones', () => {
    const shared = createSharedTools();
    const first = shared.share('a', listOf('x', 'y'));
    shared.share('a', listOf('z'));
    expect(shared.share('a', listOf('x', 'y'))).toBe(first);
  });

  it('are not shared between apps', () => {
    const shared = createSharedTools();
    const first = shared.share('a', listOf('x'));
    expect(shared.share('b', listOf('x'))).not.toBe(first);
  });

  it('are forgotten with the last session of their app', () => {
    const shared = createSharedTools();
    const first = shared.share('a', listOf('x'));
    shared.forget('a');
    expect(shared.share('a', listOf('x'))).not.toBe(first);
  });

  it('are remembered in a bounded number, the latest ones', () => {
    const shared = createSharedTools();
    const first = shared.share('a', listOf('first'));
    const second = shared.share('a', listOf('second'));
    for (let count = 0; count < REMEMBERED_LISTS - 1; count++) shared.share('a', listOf(`${count}`));
    expect(shared.share('a', listOf('second'))).toBe(second);
    expect(shared.share('a', listOf('first'))).not.toBe(first);
  });
});

const tool = toolNamed('x');

it.each(Object.keys(tool))('tools that differ in %s differ', (field) => {
  expect(areSameTools([tool], [{ ...tool }])).toBe(true);
  expect(areSameTools([tool], [{ ...tool, [field]: 'other' }])).toBe(false);
  expect(areSameTools([tool], [tool, tool])).toBe(false);
});
