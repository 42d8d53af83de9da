import type { ServerState } from '../../servers/source.ts';
import type { Style } from '../terminal/style.ts';

interface Sign {
  readonly symbol: string;
  readonly colour: 'green' | 'yellow' | 'red' | 'dim';
}

/** What the command line adds to the hub's states. */
type OwnState = 'not-loaded';

const SIGNS: Readonly<Record<ServerState | OwnState, Sign>> = {
  idle: { symbol: '○', colour: 'dim' },
  connecting: { symbol: '◌', colour: 'yellow' },
  ready: { symbol: '●', colour: 'green' },
  backoff: { symbol: '✗', colour: 'red' },
  stopped: { symbol: '○', colour: 'dim' },
  'needs-sign-in': { symbol: '!', colour: 'yellow' },
  disabled: { symbol: '-', colour: 'dim' },
  failed: { symbol: '✗', colour: 'red' },
  'not-loaded': { symbol: '!', colour: 'yellow' },
};

/** Never colour alone: the symbol says the same. */
export function stateSymbol(state: string, style: Style): string {
  // Undefined for a state that only a hub of another version knows.
  const known = Object.hasOwn(SIGNS, state) ? SIGNS[state as keyof typeof SIGNS] : undefined;
  return known === undefined ? '?' : style[known.colour](known.symbol);
}
