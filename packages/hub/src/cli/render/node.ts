/** What of this machine a gateway lets others use. */
import type { NodeReport } from '../../client/device-report.ts';
import { visible } from '../../core/visible.ts';
import { ALLOW_SETTING, allowLine } from '../node/allow-line.ts';
import type { Style } from '../terminal/style.ts';

export const blockedCommands = ({ commands }: NodeReport): readonly string[] =>
  commands?.declared.filter((each) => !commands.usable.includes(each)) ?? [];

/** `config` is the gateway's, where it is at hand. */
export function renderPaired(node: NodeReport, config: unknown, style: Style): string {
  const { gateway = '', version = '', commands } = node;
  const blocked = blockedCommands(node);
  const rows = (commands?.declared ?? []).map((command) =>
    blocked.includes(command)
      ? `  ${style.red('✗')} ${command}  blocked`
      : `  ${style.green('✓')} ${command}  allowed`,
  );
  const text = [visible(`A node of ${gateway} (OpenClaw ${version}).`), ...rows];
  if (blocked.length > 0)
    text.push(
      '',
      `The gateway blocks what ${ALLOW_SETTING} does not name. On its machine run:`,
      `  ${allowLine(blocked, config)}`,
      'Then run `pincer node pair` again: what is new has to be approved, too.',
    );
  return `${text.join('\n')}\n`;
}
