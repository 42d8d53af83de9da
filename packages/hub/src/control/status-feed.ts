/** Tells a client that waits when something has changed in what the hub says of itself. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface StatusFeed<Status extends object> {
  /** At once where `since` is not the present revision, else as soon as it is not any more, or the wait is over. */
  next(since: number | undefined, waitMs: number): Promise<Status & { readonly revision: number }>;
}

/** Looked at only while somebody waits. */
const LOOK_MS = 100;
/** What differs at every look and is worth nobody's while. */
const RESTLESS: ReadonlySet<string> = new Set([
  'callsInFlight',
  'inFlight',
  'lastDiscoveryAt',
  'lastHeardAt',
  'discoveries',
  'stderr',
  'attached',
]);

export function createStatusFeed<Status extends object>(
  describe: () => Promise<Status>,
  now: () => number,
): StatusFeed<Status> {
  // Of a time, so that a hub that was started again has another one.
  let revision = now();
  let seen = '';
  async function look(): Promise<Status> {
    const status = await describe();
    const text = JSON.stringify(status, (key, value: unknown) => (RESTLESS.has(key) ? undefined : value));
    if (text !== seen) revision++;
    seen = text;
    return status;
  }
  return {
    async next(since, waitMs) {
      const deadline = now() + waitMs;
      let status = await look();
      while (revision === since && now() < deadline) {
        await sleep(LOOK_MS);
        status = await look();
      }
      return { revision, ...status };
    },
  };
}
