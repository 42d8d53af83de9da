/** What this machine can do, what does it, and what is missing. */
import type { BackendReport, CapabilityReport, NodeReport } from '../../control/contract/machine.ts';
import { CAPABILITY_SWITCHES } from '../../config/device-schema.ts';
import { visible } from '../../core/visible.ts';
import { fullStop } from './text.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';

const SWITCHES: readonly string[] = CAPABILITY_SWITCHES;

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
      switchOf(state),
      style.dim(shortNames(category, state.commands)),
      whatDoesIt(state),
    ]),
  );
  const titles = ['', 'CAPABILITY', 'SWITCH', 'COMMANDS', 'BY'].map((title) => style.dim(title));
  const all = capabilities.flatMap(({ states }) => states);
  const off = [...new Set(all.filter(({ enabled }) => !enabled).map((state) => state.switch))];
  return [
    ...columns([titles, ...rows], width),
    '',
    ...obstacles(all).map((line) => `${style.yellow('!')} ${line}`),
    ...(off.length === 0
      ? []
      : [`Off: ${off.join(', ')}. Switch one on: ${style.bold(`pincer device on ${off[0]!}`)}`]),
    '',
  ].join('\n');
}

function symbolOf({ enabled, available, reason }: BackendReport, style: Style): string {
  if (!enabled) return style.dim('○');
  return available && reason === undefined ? style.green('●') : style.yellow('!');
}

/** A capability of one's own has none: it is there as long as whoever brought it. */
function switchOf({ switch: name, enabled }: BackendReport): string {
  if (!SWITCHES.includes(name)) return '–';
  return enabled ? 'on' : 'off';
}

const shortNames = (category: string, commands: readonly string[]): string =>
  commands
    .map((command) => (command.startsWith(`${category}.`) ? command.slice(category.length + 1) : command))
    .join(' ');

const whatDoesIt = ({ available, backend = '', reason = '' }: BackendReport): string =>
  visible(available ? backend : reason);

/** What is on and cannot work here, or might not, and what to do: a line for all that have it in common. */
export function obstacles(states: readonly BackendReport[]): string[] {
  const commands = new Map<string, string[]>();
  for (const { enabled, available, reason = '', hint = '', commands: names } of states) {
    if (!enabled || (available && reason === '')) continue;
    // Some advice begins with the reason itself.
    const isSaid = hint.toLowerCase().startsWith(reason.toLowerCase());
    const advice = (isSaid ? hint : `${fullStop(reason)} ${hint}`).trim();
    commands.set(advice, [...(commands.get(advice) ?? []), ...names]);
  }
  return [...commands].map(([advice, names]) => visible(`${names.join(', ')}: ${advice}`));
}

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
