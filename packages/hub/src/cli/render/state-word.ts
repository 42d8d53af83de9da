import type { Style } from '../style.ts';

interface StateWord {
  readonly word: string;
  readonly symbol: string;
  readonly colour: 'green' | 'yellow' | 'red' | 'dim';
}

const STATES: Readonly<Record<string, StateWord>> = {
  idle: { word: 'Not started', symbol: '○', colour: 'dim' },
  connecting: { word: 'Connecting', symbol: '◌', colour: 'yellow' },
  ready: { word: 'Connected', symbol: '●', colour: 'green' },
  backoff: { word: 'Disconnected', symbol: '✗', colour: 'red' },
  stopped: { word: 'Stopped', symbol: '○', colour: 'dim' },
  'needs-sign-in': { word: 'Auth required', symbol: '!', colour: 'yellow' },
  disabled: { word: 'Disabled', symbol: '-', colour: 'dim' },
  failed: { word: 'Error', symbol: '✗', colour: 'red' },
  'not-loaded': { word: 'Not loaded', symbol: '!', colour: 'yellow' },
};

/** The word that people see for a server's state. */
export function stateWord(state: string, transport: 'http' | 'stdio', pid?: number): string {
  if (state === 'ready' && transport === 'stdio') return pid === undefined ? 'Running' : `Running (${pid})`;
  return STATES[state]?.word ?? state;
}

/** Never colour alone: the symbol says the same. */
export function stateSymbol(state: string, style: Style): string {
  const known = STATES[state];
  return known === undefined ? '?' : style[known.colour](known.symbol);
}
