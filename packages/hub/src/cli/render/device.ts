/** What this machine can do, what does it, and what is missing. */
import type { BackendReport, CapabilityReport, NodeReport } from '../../client/device-report.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';

export interface DeviceOptions {
  readonly style: Style;
  readonly width: number;
}

export function renderCapabilities(
  capabilities: readonly CapabilityReport[],
  { style, width }: DeviceOptions,
): string {
  const rows = capabilities.flatMap(({ category, states }) =>
    states.map((state, index) => [
      symbolOf(state, style),
      index === 0 ? style.bold(category) : '',
      state.enabled ? 'on' : 'off',
      style.dim(shortNames(category, state.commands)),
      whatDoesIt(state),
    ]),
  );
  const titles = ['', 'CAPABILITY', 'SWITCH', 'COMMANDS', 'BY'].map((title) => style.dim(title));
  const all = capabilities.flatMap(({ states }) => states);
  const hints = all.filter(({ enabled, available }) => enabled && !available).map(adviceOf);
  const off = [...new Set(all.filter(({ enabled }) => !enabled).map((state) => state.switch))];
  return [
    ...columns([titles, ...rows], width),
    '',
    ...hints.map((hint) => `${style.yellow('!')} ${hint}`),
    ...(off.length === 0
      ? []
      : [`Off: ${off.join(', ')}. Switch one on: ${style.bold(`pincer device on ${off[0]!}`)}`]),
    '',
  ].join('\n');
}

function symbolOf({ enabled, available }: BackendReport, style: Style): string {
  if (!enabled) return style.dim('○');
  return available ? style.green('●') : style.yellow('!');
}

const shortNames = (category: string, commands: readonly string[]): string =>
  commands
    .map((command) => (command.startsWith(`${category}.`) ? command.slice(category.length + 1) : command))
    .join(' ');

const whatDoesIt = ({ available, backend = '', reason = '' }: BackendReport): string =>
  visible(available ? backend : reason);

const adviceOf = ({ commands, reason = '', hint = '' }: BackendReport): string =>
  visible(`${commands.join(', ')}: ${reason.replace(/\.$/, '')}. ${hint}`);

const NODE_WORDS: Readonly<Record<NodeReport['is'], string>> = {
  off: 'Disabled',
  connecting: 'Connecting',
  pending: 'Waits for approval',
  paired: 'Paired, and none of its commands may be used yet',
  connected: 'Connected',
  backoff: 'Disconnected',
};

/** How it stands with the gateway, and what to do about it. */
export function renderNode({ is, gateway, version, reason, hint, commands }: NodeReport): string {
  const where =
    gateway === undefined ? '' : ` (${gateway}${version === undefined ? '' : `, OpenClaw ${version}`})`;
  const usable =
    is === 'connected' && commands !== undefined
      ? ` ${commands.usable.length} of ${commands.declared.length} commands may be used.`
      : '';
  const why = [is === 'connected' ? undefined : reason, hint].filter((text) => text !== undefined).join(' ');
  return visible(`${NODE_WORDS[is]}${where}.${usable}${why === '' ? '' : ` ${why}`}`);
}
