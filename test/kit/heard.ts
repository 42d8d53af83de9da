import { expect } from 'vitest';

/**
 * Whether an SDK client heard the steps of a call in order, none twice. It drops those that it reads together with
 * the answer (its handlers run a microtask after the answer has ended the call), so the last ones may be missing here;
 * the tests on raw wires count every one.
 */
export function expectHeard(seen: readonly number[], steps: number): void {
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.length).toBeLessThanOrEqual(steps);
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
}
