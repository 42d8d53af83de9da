/** The words that people see for the states of servers and tools. */
import type { HeldTool } from '../contract/status.ts';

const WORDS: Readonly<Record<string, string>> = {
  idle: 'Idle',
  connecting: 'Connecting',
  ready: 'Connected',
  backoff: 'Disconnected',
  stopped: 'Stopped',
  'needs-sign-in': 'Auth required',
  disabled: 'Disabled',
  failed: 'Error',
  'not-loaded': 'Not loaded',
};

/** A state that only a hub of another version knows is shown as it is. */
export function stateWord(state: string, transport: 'http' | 'stdio', pid?: number): string {
  if (state === 'ready' && transport === 'stdio') return pid === undefined ? 'Running' : `Running (${pid})`;
  return Object.hasOwn(WORDS, state) ? WORDS[state]! : state;
}

/** Why a tool waits for a person, to follow its name. */
export const heldReason = (why: HeldTool['why']): string => REASONS[why];

const REASONS: Readonly<Record<HeldTool['why'], string>> = {
  new: 'is new',
  changed: 'has changed',
  lost: 'is not on record: what you had accepted may have been lost',
};
