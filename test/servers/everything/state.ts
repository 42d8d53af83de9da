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
  /** Where tasks are unknown, the tools that are there for them would only keep their callers waiting. */
  hasTasks: boolean;
  /** Signed, as the caller carries it between the rounds. */
  codec: RequestStateCodec<Round>;
  /** How often each list has changed. */
  changes: Record<Listing, number>;
  /** One per way to tell clients of a changed list. */
  listeners: Set<(listing: Listing) => void>;
  /** By id. */
  tasks: Map<string, Task>;
}

export const createState = (era: Era | 'dual'): EverythingState => ({
  hasTasks: era !== 'legacy',
  codec: createRequestStateCodec<Round>({ key: randomBytes(32) }),
  changes: { tools: 0, prompts: 0 },
  listeners: new Set(),
  tasks: new Map(),
});

/** Changes a list for real, by a number in a description, and tells everybody. */
export function change(state: EverythingState, listing: Listing): void {
  state.changes[listing]++;
  for (const tell of state.listeners) tell(listing);
}
