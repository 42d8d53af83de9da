/**
 * Conversations in which OpenClaw can ask nobody: those of subagents, and for a while those in which it has just said so.
 * There the hub asks in its own way.
 */
export interface Unasked {
  has(sessionKey: string | undefined): boolean;
  add(sessionKey: string | undefined): void;
}

const FORGET_MS = 5 * 60_000;
const MAX_SESSIONS = 1_000;
/** Their runs have no right to ask for approvals, whoever watches. */
const SUBAGENT = ':subagent:';

export function createUnasked(now: () => number): Unasked {
  const since = new Map<string, number>();
  return {
    has(sessionKey = '') {
      return sessionKey.includes(SUBAGENT) || now() - (since.get(sessionKey) ?? -Infinity) < FORGET_MS;
    },
    add(sessionKey = '') {
      since.delete(sessionKey);
      since.set(sessionKey, now());
      const [oldest] = since.keys();
      if (since.size > MAX_SESSIONS) since.delete(oldest!);
    },
  };
}
