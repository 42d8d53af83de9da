/** Ends a source that nothing new goes to, when its calls under way have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemoteSource } from '../source.ts';

const LOOK_MS = 20;

/** `isFree`: nothing was under way, so that it ends soon. */
export function retire(source: RemoteSource, drainMs: number): { ended: Promise<void>; isFree: boolean } {
  const isFree = source.inFlight === 0;
  return { ended: isFree ? source.stop() : drain(source, drainMs), isFree };
}

async function drain(source: RemoteSource, drainMs: number): Promise<void> {
  for (let waited = 0; source.inFlight > 0 && waited < drainMs; waited += LOOK_MS) await sleep(LOOK_MS);
  await source.stop();
}
