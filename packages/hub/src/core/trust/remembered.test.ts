import { expect, it } from 'vitest';
import { collectGarbage } from '../../../../../test/kit/collect-garbage.ts';
import { remembering, type Remembered } from './trust.ts';

it('recomputes only what the last generation did not use', () => {
  const made: string[] = [];
  const make = (text: string): string => {
    made.push(text);
    return text.toUpperCase();
  };
  const first = remembering(undefined, make);
  expect([first.of('a'), first.of('a'), first.of('b')]).toEqual(['A', 'A', 'B']);
  const second = remembering(first, make);
  expect(second.of('a')).toBe('A');
  const third = remembering(second, make);
  expect([third.of('a'), third.of('b')]).toEqual(['A', 'B']);
  expect(made).toEqual(['a', 'b', 'b']);
});

it('keeps nothing from before the last generation', async () => {
  let current: Remembered<object> | undefined;
  const old: WeakRef<object>[] = [];
  for (let time = 0; time < 5; time++) {
    current = remembering(current, () => ({}));
    old.push(new WeakRef(current.of(`only ${time}`)));
  }
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(old.slice(0, 3).map((each) => each.deref())).toEqual([undefined, undefined, undefined]);
  expect(current?.kept.size).toBe(1);
});
