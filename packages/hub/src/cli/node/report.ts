/** The final report of `pincer node pair`: which commands the gateway allows, and which setting allows the others. */
import type { NodeReport } from '../../control/contract/machine.ts';
import { plural } from '../../lib/text.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { valueAt } from '../../lib/record.ts';
import type { OperatorView } from './follow.ts';

interface PairedNode {
  readonly node: NodeReport;
  readonly states: ReadonlyMap<string, CommandState>;
  /** Undefined if the gateway's settings cannot be read here. */
  readonly policy: CommandPolicy | undefined;
  /** The pending approval request. */
  readonly requestId: string | undefined;
}

const SHOWN: Readonly<Record<CommandState, readonly [mark: (style: Style) => string, text: string]>> = {
  allowed: [(style) => style.green('✓'), 'allowed'],
  waiting: [(style) => style.yellow('…'), 'awaits approval'],
  blocked: [(style) => style.red('✗'), 'blocked'],
  unclear: [(style) => style.red('✗'), 'blocked, or awaits approval'],
};

export function renderPaired({ node, states, policy, requestId }: PairedNode, style: Style): string {
  const { gateway = '', version = '' } = node;
  const rows = [...states].map(([command, state]) => {
    const [mark, text] = SHOWN[state];
    return `  ${mark(style)} ${command}  ${text}`;
  });
  return [
    visible(`This machine is a node of ${gateway} (OpenClaw ${version}).`),
    ...rows,
    ...waitingLines(states, requestId),
    ...blockedLines(states, policy),
    '',
  ].join('\n');
}

function waitingLines(states: PairedNode['states'], requestId: string | undefined): string[] {
  const waiting = commandsThat(states, 'waiting');
  if (waiting.length > 0)
    return [
      '',
      `${plural(waiting.length, 'command')} ${waiting.length === 1 ? 'awaits' : 'await'} approval. Run on the gateway's machine:`,
      `  openclaw nodes approve ${requestId ?? '<id of openclaw nodes pending>'}`,
    ];
  if (commandsThat(states, 'unclear').length === 0) return [];
  return [
    '',
    'Some commands may await approval. Check on the machine of the gateway:',
    '  openclaw nodes pending',
    'Then approve the requests of this machine: openclaw nodes approve <id>',
  ];
}

function blockedLines(states: PairedNode['states'], policy: CommandPolicy | undefined): string[] {
  const blocked = commandsThat(states, 'blocked', 'unclear');
  if (blocked.length === 0) return [];
  return [
    '',
    `The gateway blocks commands that ${ALLOW_SETTING} does not list. To allow them, run on its machine:`,
    ...allowLines(blocked, policy),
    'Then run `pincer node pair` again, because the newly allowed commands need approval, too.',
  ];
}

const ALLOW_SETTING = 'gateway.nodes.commands.allow';
const DENY_SETTING = 'gateway.nodes.commands.deny';

/** Commands that a gateway's configuration allows and denies. */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** `config` is the gateway's openclaw.json. */
export const policyIn = (config: unknown): CommandPolicy => ({
  allow: textsAt(config, ALLOW_SETTING),
  deny: textsAt(config, DENY_SETTING),
});

/**
 * Commands that allow the blocked ones. `config set` replaces the whole list, so the line contains the current list, too.
 * If that is unknown, the line has no effect on an existing list.
 */
export function allowLines(blocked: readonly string[], policy: CommandPolicy | undefined): string[] {
  if (policy === undefined)
    return [
      `  openclaw config set ${ALLOW_SETTING} '${JSON.stringify(blocked)}' --expect-current-absent`,
      `If that fails because a list exists, add these commands to the existing list: openclaw config get ${ALLOW_SETTING}`,
    ];
  const { allow, deny } = policy;
  const kept = deny.filter((each) => !blocked.includes(each));
  return [
    setLine(ALLOW_SETTING, [...new Set([...allow, ...blocked])]),
    ...(kept.length < deny.length ? [setLine(DENY_SETTING, kept)] : []),
  ];
}

const setLine = (setting: string, list: readonly string[]): string =>
  `  openclaw config set ${setting} '${JSON.stringify(list)}'`;

function textsAt(config: unknown, setting: string): string[] {
  const value = valueAt(config, setting.split('.'));
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/**
 * `waiting`: an operator of the gateway has to approve it. `blocked`: the gateway's settings do not allow it. `unclear`:
 * one of the two; only an operator can see which.
 */
type CommandState = 'allowed' | 'waiting' | 'blocked' | 'unclear';

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
