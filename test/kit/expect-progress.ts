import { expect } from 'vitest';

/**
 * Checks that an SDK client received the progress steps of a call in order, none twice. The SDK drops steps that it
 * reads together with the answer, because its handlers run a microtask after the call ended. So the last steps may be
 * missing here; the tests on raw wires count every one.
 */
export function expectProgress(seen: readonly number[], steps: number): void {
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.length).toBeLessThanOrEqual(steps);
  expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 1));
}
