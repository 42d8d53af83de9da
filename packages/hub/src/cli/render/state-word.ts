import type { ServerState } from '../../sources/remote/source.ts';
import type { Style } from '../terminal/style.ts';

interface StateWord {
  readonly word: string;
  readonly symbol: string;
  readonly colour: 'green' | 'yellow' | 'red' | 'dim';
}

/** What the command line adds to the hub's states. */
type OwnState = 'not-loaded';

const STATES: Readonly<Record<ServerState | OwnState, StateWord>> = {
  idle: { word: 'Idle', symbol: '○', colour: 'dim' },
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
  return lookUp(state)?.word ?? state;
}

/** Never colour alone: the symbol says the same. */
export function stateSymbol(state: string, style: Style): string {
  const known = lookUp(state);
  return known === undefined ? '?' : style[known.colour](known.symbol);
}

/** Undefined for a state that only a hub of another version knows. */
const lookUp = (state: string): StateWord | undefined =>
  Object.hasOwn(STATES, state) ? STATES[state as keyof typeof STATES] : undefined;
