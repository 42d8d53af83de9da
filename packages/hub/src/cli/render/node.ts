/** What of this machine a gateway lets others use. */
import type { NodeReport } from '../../control/contract/machine.ts';
import { plural } from '../../lib/text.ts';
import { visible } from '../../core/visible.ts';
import { ALLOW_SETTING, allowLines, type CommandPolicy } from '../node/allow-line.ts';
import { commandsThat, type CommandState } from '../node/command-states.ts';
import type { Style } from '../terminal/style.ts';

export interface PairedNode {
  readonly node: NodeReport;
  readonly states: ReadonlyMap<string, CommandState>;
  /** Undefined: the gateway's settings cannot be read here. */
  readonly policy: CommandPolicy | undefined;
  /** Of what waits. */
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
    visible(`A node of ${gateway} (OpenClaw ${version}).`),
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
      `${plural(waiting.length, 'command')} ${waiting.length === 1 ? 'awaits' : 'await'} approval. On the gateway's machine run:`,
      `  openclaw nodes approve ${requestId ?? '<id of openclaw nodes pending>'}`,
    ];
  if (commandsThat(states, 'unclear').length === 0) return [];
  return [
    '',
    "Whether a command awaits approval, only the gateway's people are told. On its machine run:",
    '  openclaw nodes pending',
    'and approve what is listed for this machine: openclaw nodes approve <id>',
  ];
}

function blockedLines(states: PairedNode['states'], policy: CommandPolicy | undefined): string[] {
  const blocked = commandsThat(states, 'blocked', 'unclear');
  if (blocked.length === 0) return [];
  return [
    '',
    `The gateway blocks what ${ALLOW_SETTING} does not name. On its machine run:`,
    ...allowLines(blocked, policy),
    'Then run `pincer node pair` again: what is new has to be approved, too.',
  ];
}
