import type { Clock } from '../core/ports.ts';

export const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
