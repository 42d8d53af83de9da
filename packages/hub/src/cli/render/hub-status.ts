/** The hub and its servers at a glance. */
import { visible } from '../../core/visible.ts';
import type { HubFile } from '../../owner/hub-file.ts';
import type { NodeReport } from '../../control/contract/machine.ts';
import type { HubStatus } from '../../control/contract/status.ts';
import type { ServerRow } from '../servers/rows.ts';
import type { Style } from '../terminal/style.ts';
import { columns } from './columns.ts';
import { renderNode } from './device.ts';
import { renderFacts } from './facts.ts';
import { dotEnvText, openText, proxyText } from './proxy.ts';
import { plural } from './plural.ts';
import { renderError, renderServerList, toolCount } from './server-list.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { stateSymbol } from './state-symbol.ts';
import { renderSpan } from './time.ts';

export interface HubFacts {
  readonly hubFile: HubFile | undefined;
  readonly status: HubStatus | undefined;
  readonly rows: readonly ServerRow[];
  /** Where this machine is one. */
  readonly node?: NodeReport | undefined;
}

export interface HubStatusOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
}

const SHOWN_INCIDENTS = 5;

export function renderHubStatus(
  { hubFile, status, rows, node }: HubFacts,
  options: HubStatusOptions,
): string {
  const { style, width } = options;
  const head =
    hubFile === undefined || status === undefined
      ? []
      : [
          `${style.green('●')} ${style.bold(`Pincer ${hubFile.version}`)} runs in the ${hubFile.mode}, process ${hubFile.pid}.`,
          ...renderFacts(
            [
              ['MCP', hubFile.endpoints.mcp],
              ['device', hubFile.endpoints.device && `${hubFile.endpoints.device}  pincer device`],
              ['node', node && renderNode(node)],
              ['clients', `${status.attached} attached, ${plural(status.callsInFlight, 'call')} under way`],
              ['proxy', status.proxy && proxyText(status.proxy)],
              ['.env', status.proxy && dotEnvText(status.proxy)],
              ['open', status.proxy && openText(status.proxy, { style })],
              ['waiting', waitingText(status)],
            ],
            style,
          ),
          ...renderIncidents(status, options),
          '',
        ];
  if (rows.length === 0) return [...head, renderServerList([], style)].join('\n');
  const titles = ['', 'NAME', 'STATE', 'SINCE', 'ERA', 'TOOLS', 'CALLS', 'LAST ERROR'];
  const table = columns(
    [titles.map((title) => style.dim(title)), ...rows.map((row) => rowOf(row, options))],
    width,
  );
  // The column is cut where a line is narrow, and what is to be done has no place in it.
  const wrong = rows
    .filter(({ isMisconfigured }) => isMisconfigured === true)
    .flatMap((row) => [
      '',
      `${stateSymbol(row.state, style)} ${style.bold(visible(row.name))}`,
      ...renderError(row, style),
    ]);
  return `${[...head, ...table, ...wrong].join('\n')}\n`;
}

/** The latest, each with its next step; `pincer doctor` has them all. */
function renderIncidents({ store }: HubStatus, { style }: HubStatusOptions): string[] {
  const incidents = store?.incidents ?? [];
  const shown = incidents.slice(-SHOWN_INCIDENTS);
  const more = incidents.length - shown.length;
  return [
    ...shown.flatMap(({ message, hint, isOpen }) => [
      `  ${isOpen ? style.red('✗') : style.yellow('!')} ${visible(message)}`,
      `    ${style.dim(visible(hint))}`,
    ]),
    ...(more > 0 ? [`    ${style.dim(`${more} more: pincer doctor`)}`] : []),
  ];
}

/** What a person could do. */
function waitingText({ held = [], approvals = 0 }: HubStatus): string | undefined {
  const parts = [
    ...(approvals === 0 ? [] : [`${plural(approvals, 'call')} for your approval: pincer approvals`]),
    ...(held.length === 0 ? [] : [`${plural(held.length, 'tool')} for you to accept: pincer accept`]),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}

function rowOf(row: ServerRow, { style, now }: HubStatusOptions): string[] {
  return [
    stateSymbol(row.state, style),
    style.bold(visible(row.name)),
    stateWord(row.state, row.transport, row.pid),
    row.since === undefined ? '-' : renderSpan(now - row.since),
    row.era ?? '-',
    `${toolCount(row)}${row.isStale === true && row.tools !== undefined ? ' old' : ''}`,
    String(row.inFlight ?? '-'),
    row.error === undefined ? '' : visible(row.error.message.split('\n', 1)[0]!),
  ];
}
