/** What all connections of one process share. */
import { randomBytes } from 'node:crypto';
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import type { Era } from '../flags.ts';
import type { Task } from './tasks/task.ts';

export type Listing = 'tools' | 'prompts';

/** What a tool remembers between two rounds of one call. */
export interface Round {
  tool: string;
  round: number;
  note?: string;
}

export interface EverythingState {
  /** If tasks are unsupported, the task tools are left out, because they would only keep their callers waiting. */
  hasTasks: boolean;
  /** Signed, because the caller carries it between the rounds. */
  codec: RequestStateCodec<Round>;
  /** How often each list has changed. */
  changes: Record<Listing, number>;
  /** One listener per channel that announces changed lists. */
  listeners: Set<(listing: Listing) => void>;
  /** Tasks by id. */
  tasks: Map<string, Task>;
}

export const createState = (era: Era | 'dual'): EverythingState => ({
  hasTasks: era !== 'legacy',
  codec: createRequestStateCodec<Round>({ key: randomBytes(32) }),
  changes: { tools: 0, prompts: 0 },
  listeners: new Set(),
  tasks: new Map(),
});

/** Changes a list, by a number in a description, and notifies all listeners. */
export function change(state: EverythingState, listing: Listing): void {
  state.changes[listing]++;
  for (const tell of state.listeners) tell(listing);
}
