import { expect, test } from 'vitest';
import { createPreparedPlans } from './prepared-plans.ts';

const caller = (id: string, session = 's') => ({
  id,
  name: id,
  scopes: {},
  openClaw: { agent: 'main', session },
});

test('what was prepared counts once, for whoever it was prepared for', () => {
  const plans = createPreparedPlans(() => 0);
  plans.keep(caller('a'), 'digest');
  expect(plans.has(caller('b'), 'digest')).toBe(false);
  expect(plans.has(caller('a', 'other'), 'digest')).toBe(false);
  expect(plans.has(caller('a'), 'other')).toBe(false);
  expect([plans.use(caller('a'), 'digest'), plans.use(caller('a'), 'digest')]).toEqual([true, false]);
});

test('it is forgotten after ten minutes, and when there is too much of it the oldest makes room', () => {
  let now = 0;
  const plans = createPreparedPlans(() => now);
  for (let at = 0; at < 300; at += 1) plans.keep(caller('a'), `digest ${at}`);
  expect([43, 44, 299].map((at) => plans.has(caller('a'), `digest ${at}`))).toEqual([false, true, true]);
  now = 10 * 60_000;
  expect(plans.use(caller('a'), 'digest 299')).toBe(false);
});
