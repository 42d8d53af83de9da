import { expect, it } from 'vitest';
import { createUnasked } from './unasked.ts';

it('a conversation in which nobody could be asked is left to the hub for a while', () => {
  let now = 0;
  const unasked = createUnasked(() => now);
  expect(unasked.has('agent:main:a')).toBe(false);
  unasked.add('agent:main:a');
  expect(unasked.has('agent:main:a')).toBe(true);
  expect(unasked.has('agent:main:b')).toBe(false);
  now = 5 * 60_000;
  expect(unasked.has('agent:main:a')).toBe(false);
});

it('that of a subagent always is', () => {
  expect(createUnasked(() => 0).has('agent:main:subagent:1')).toBe(true);
});

it('not more of them are remembered than there is room for', () => {
  const unasked = createUnasked(() => 0);
  for (let n = 0; n <= 1_000; n++) unasked.add(`agent:main:${n}`);
  expect(unasked.has('agent:main:0')).toBe(false);
  expect(unasked.has('agent:main:1')).toBe(true);
  expect(unasked.has('agent:main:1000')).toBe(true);
});
