/** What a gateway lets others do with each command of this node, and why not. */
import type { NodeReport } from '../../control/contract/machine.ts';
import type { OperatorView } from './operator-look.ts';

/**
 * `waiting`: a person at the gateway has to approve it. `blocked`: its settings do not allow it. `unclear`: one of the two; only the
 * gateway's people are told which.
 */
export type CommandState = 'allowed' | 'waiting' | 'blocked' | 'unclear';

export function commandStates(
  { commands }: NodeReport,
  operator: OperatorView | undefined,
): ReadonlyMap<string, CommandState> {
  const { declared, usable } = commands ?? { declared: [], usable: [] };
  return new Map(
    declared.map((command) => [command, usable.includes(command) ? 'allowed' : whyNot(command, operator)]),
  );
}

function whyNot(command: string, operator: OperatorView | undefined): CommandState {
  if (operator === undefined) return 'unclear';
  const isWaiting = operator.waiting.includes(command) && !operator.commands.includes(command);
  return isWaiting ? 'waiting' : 'blocked';
}

export const commandsThat = (
  states: ReadonlyMap<string, CommandState>,
  ...are: readonly CommandState[]
): string[] => [...states].flatMap(([command, state]) => (are.includes(state) ? command : []));
