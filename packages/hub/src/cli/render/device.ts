/** Renders the capabilities of this machine: their switches, backends and missing parts. */
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
      backendText(state),
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

/** A custom capability has no switch: it exists as long as the program that registered it. */
function switchOf({ switch: name, enabled }: BackendReport): string {
  if (!SWITCHES.includes(name)) return '–';
  return enabled ? 'on' : 'off';
}

const shortNames = (category: string, commands: readonly string[]): string =>
  commands
    .map((command) => (command.startsWith(`${category}.`) ? command.slice(category.length + 1) : command))
    .join(' ');

const backendText = ({ available, backend = '', reason = '' }: BackendReport): string =>
  visible(available ? backend : reason);

/** A line for each reason why enabled commands cannot work or may not work, with its hint. */
export function obstacles(states: readonly BackendReport[]): string[] {
  const commands = new Map<string, string[]>();
  for (const { enabled, available, reason = '', hint = '', commands: names } of states) {
    if (!enabled || (available && reason === '')) continue;
    // Some hints begin with the reason itself.
    const hasReason = hint.toLowerCase().startsWith(reason.toLowerCase());
    const advice = (hasReason ? hint : `${fullStop(reason)} ${hint}`).trim();
    commands.set(advice, [...(commands.get(advice) ?? []), ...names]);
  }
  return [...commands].map(([advice, names]) => visible(`${names.join(', ')}: ${advice}`));
}

const NODE_WORDS: Readonly<Record<NodeReport['is'], string>> = {
  off: 'Disabled',
  connecting: 'Connecting',
  pending: 'Waiting for approval',
  paired: 'Paired, but none of its commands is approved yet',
  connected: 'Connected',
  backoff: 'Disconnected',
};

/** The state of the connection to the gateway, with the next step. */
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
