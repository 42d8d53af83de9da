/** When a token is renewed. Pure. */
import type { Grant } from '../grant.ts';

/** So long before it ends, and tokens that live for less than five times that at four fifths of their life. */
const EARLY_MS = 60_000;
const SHARE = 0.8;

/** In milliseconds since 1970; undefined: when the server says so. */
function renewAt({ obtainedAt, expiresAt }: Grant): number | undefined {
  if (expiresAt === undefined) return undefined;
  return Math.max(expiresAt - EARLY_MS, obtainedAt + (expiresAt - obtainedAt) * SHARE);
}

export const isDue = (grant: Grant, now: number): boolean => now >= (renewAt(grant) ?? Infinity);

export const hasEnded = ({ expiresAt }: Grant, now: number): boolean => now >= (expiresAt ?? Infinity);
