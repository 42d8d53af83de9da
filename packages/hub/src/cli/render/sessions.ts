/** Sessions of apps at a glance: whose they are, whether the app is there, what it is busy with. */
import type { AppSessionReport } from '../../client/app-report.ts';
import { visible } from '../../core/visible.ts';
import type { Style } from '../terminal/style.ts';
import { shortIds } from './approvals.ts';
import { columns, fit } from './columns.ts';
import { plural } from './plural.ts';
import { renderSpan } from './time.ts';

export interface SessionsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
}

/** On a narrower terminal, what the app says of itself stands below the line and not at its end. */
const WIDE = 100;
const INDENT = '   ';
const TITLES = ['', 'ID', 'APP', 'BRIDGE', 'SEEN', 'IDLE', 'CALLS', 'TOOLS'];

export function renderSessions(sessions: readonly AppSessionReport[], options: SessionsOptions): string {
  const { style, width } = options;
  const isWide = width >= WIDE;
  const ids = shortIds(sessions.map(({ id }) => id));
  const abouts = sessions.map(aboutOf);
  const rows = sessions.map((session, index) => [
    ...rowOf(session, ids[index]!, options),
    ...(isWide ? [abouts[index]!] : []),
  ]);
  const titles = [...TITLES, ...(isWide ? ['DEVICE, VERSION, CHAT'] : [])];
  const [head, ...lines] = columns([titles.map((title) => style.dim(title)), ...rows], width);
  const shown = lines.flatMap((line, index) =>
    isWide ? [line] : [line, INDENT + style.dim(fit(abouts[index]!, width - INDENT.length))],
  );
  return `${[head!, ...shown, '', sumOf(sessions)].join('\n')}\n`;
}

function rowOf(session: AppSessionReport, id: string, { style, now }: SessionsOptions): string[] {
  const { app, bridge, lastUsedAt, callsInFlight, callsWaiting, tools } = session;
  return [
    bridge === undefined ? style.dim('○') : style.green('●'),
    style.bold(id),
    visible(app),
    bridge === undefined ? 'none' : roughly(now - bridge.connectedAt),
    bridge === undefined ? '-' : roughly(now - bridge.lastHeardAt),
    roughly(now - lastUsedAt),
    callsWaiting === 0 ? String(callsInFlight) : `${callsInFlight} (${callsWaiting} waiting)`,
    String(tools.length),
  ];
}

/** All of it is what the app says, and may be left out. */
function aboutOf({ deviceName, deviceId, chatId, appVersion }: AppSessionReport): string {
  const device = [deviceName, deviceName === undefined ? deviceId : deviceId && `(${deviceId})`];
  const parts = [
    device.filter((part) => part !== undefined).join(' '),
    appVersion && `version ${appVersion}`,
    chatId && `chat ${chatId}`,
  ];
  return visible(parts.filter((part) => part !== undefined && part !== '').join(', ')) || '-';
}

/** The largest unit alone: `4 min`. */
const roughly = (ms: number): string => renderSpan(Math.max(0, ms)).split(' ').slice(0, 2).join(' ');

function sumOf(sessions: readonly AppSessionReport[]): string {
  const apps = new Set(sessions.map(({ app }) => app)).size;
  const connected = sessions.filter(({ bridge }) => bridge !== undefined).length;
  return `${plural(sessions.length, 'session')} of ${plural(apps, 'app')}, ${connected} connected.`;
}
