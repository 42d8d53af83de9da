/** Plans that a gateway has shown to a person: what comes back as allowed must be one of them, and each counts once. */
import type { Caller } from '../../core/caller.ts';

const MAX_PREPARED = 256;
const PREPARED_MS = 10 * 60_000;

export interface PreparedPlans {
  keep(caller: Caller, digest: string): void;
  has(caller: Caller, digest: string): boolean;
  /** True once for each that was kept. */
  use(caller: Caller, digest: string): boolean;
}

export function createPreparedPlans(now: () => number): PreparedPlans {
  const until = new Map<string, number>();
  const keyOf = ({ id, openClaw }: Caller, digest: string): string =>
    JSON.stringify([id, openClaw?.agent ?? '', openClaw?.session ?? '', digest]);
  const isKept = (key: string): boolean => (until.get(key) ?? 0) > now();
  return {
    keep(caller, digest) {
      const key = keyOf(caller, digest);
      until.delete(key);
      until.set(key, now() + PREPARED_MS);
      // The first is the oldest.
      for (const [oldest, end] of until) if (until.size > MAX_PREPARED || end <= now()) until.delete(oldest);
    },
    has: (caller, digest) => isKept(keyOf(caller, digest)),
    use(caller, digest) {
      const key = keyOf(caller, digest);
      const was = isKept(key);
      until.delete(key);
      return was;
    },
  };
}
