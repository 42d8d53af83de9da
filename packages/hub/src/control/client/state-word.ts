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

/** Returns an unknown state, which a hub of another version may report, unchanged. */
export function stateWord(state: string, transport: 'http' | 'stdio', pid?: number): string {
  if (state === 'ready' && transport === 'stdio') return pid === undefined ? 'Running' : `Running (${pid})`;
  return Object.hasOwn(WORDS, state) ? WORDS[state]! : state;
}

/** Why a tool is held, to follow its name in a sentence. */
export const heldReason = (why: HeldTool['why']): string => REASONS[why];

const REASONS: Readonly<Record<HeldTool['why'], string>> = {
  new: 'is new',
  changed: 'has changed',
  lost: 'has no pin, because pins may have been lost',
};
