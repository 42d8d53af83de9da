import { expect, it } from 'vitest';
import { createStepUps } from './step-ups.ts';

it('asks twice for the same, then no more for a while', () => {
  let now = 0;
  const stepUps = createStepUps({ elapsed: () => now }, 1_000);
  const ask = (scopes: string[], key = 'a'): void => stepUps.assertWorth('docs', key, scopes);
  ask(['x', 'y']);
  ask(['y', 'x']);
  expect(() => ask(['x', 'y'])).toThrow(/still asks for them/);
  ask(['x', 'y'], 'b');
  ask(['x', 'y', 'z']);
  ask(['x', 'y', 'z']);
  expect(() => ask(['x', 'y', 'z'])).toThrow(/still asks/);
  now = 1_000;
  ask(['x', 'y', 'z']);
});
