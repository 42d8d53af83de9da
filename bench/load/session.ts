import { openSseSession } from './sse-session.ts';
import { openStreamableSession } from './streamable-session.ts';
import type { Session, Target } from './target.ts';

export function openSession(target: Target): Promise<Session> {
  return target.variant === 'sse' ? openSseSession(target) : openStreamableSession(target);
}
