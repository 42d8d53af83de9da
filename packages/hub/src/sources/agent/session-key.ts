/**
 * The name of a conversation in OpenClaw. Whatever a caller calls it, it stays among that caller's own, and no channel's
 * conversation has such a name. OpenClaw does not tell capitals from small letters, so that both parts are hashed.
 */
import { createHash } from 'node:crypto';

export interface Conversation {
  /** Who asks. */
  readonly caller: string;
  /** What they call it. */
  readonly key: string;
  /** Undefined: OpenClaw's default agent. */
  readonly agentId?: string | undefined;
}

const CALLER_CHARS = 16;
const KEY_CHARS = 40;

export function sessionKeyFor({ caller, key, agentId }: Conversation): string {
  const own = `mcp:${hash(caller).slice(0, CALLER_CHARS)}:${hash(key).slice(0, KEY_CHARS)}`;
  return agentId === undefined ? own : `agent:${agentId}:${own}`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
