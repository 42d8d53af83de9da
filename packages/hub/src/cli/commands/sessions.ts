/** `pincer sessions`: lists or ends the sessions of apps at the app proxy. */
import type { AppSessionReport, AppSessions } from '../../control/contract/machine.ts';
import { ask, findHubClient, type HubClient } from '../../control/client/hub-client.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { widthOfStream, columns, fit } from '../render/columns.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { shortIds } from '../render/approvals.ts';
import { plural } from '../../lib/text.ts';
import { renderSpan } from '../render/time.ts';
import { defineCommand, defineSubcommand } from '../command.ts';

const OPTIONS = { '--app <app>': 'only sessions of this app' } as const;

export const command = defineCommand({
  usage: '[end ID] [--app NAME]',
  description:
    'Lists the sessions of apps at the app proxy: their device, how long they have been connected, and their running calls.',
  options: OPTIONS,
  commands: {
    end: defineSubcommand(
      {
        usage: 'ID',
        summary: 'end a session',
        description:
          'Ends a session and closes the connection of its app. The first characters of the id are enough.',
        arguments: ['<session>'],
        run: ({ words: [id], flags: { app } }, context) => endSession(id, app, context),
      },
      OPTIONS,
    ),
  },
  run: ({ flags: { app } }, context) => listSessions(app, context),
});

async function listSessions(app: string | undefined, context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  const { hasProxy, sessions } = hub === undefined ? NO_SESSIONS : await sessionsOf(hub, app);
  if (context.json) {
    printJson({ ok: true, proxy: hub?.hubFile.endpoints.proxy ?? null, sessions });
    return EXIT.ok;
  }
  const { stdout } = process;
  if (hub === undefined) note('No hub is running, so there are no sessions. Start one: pincer up\n');
  else if (!hasProxy) note(`${NO_PROXY} ${whyNone(hub)}\n`);
  else if (sessions.length === 0) print(noSessions(app, hub));
  else
    print(
      renderSessions(sessions, { style: styleFor(stdout), now: Date.now(), width: widthOfStream(stdout) }),
    );
  return EXIT.ok;
}

/** If `app` is given, the session must belong to that app. */
async function endSession(id: string, app: string | undefined, context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  if (hub === undefined)
    throw new PincerError('HUB_UNREACHABLE', 'No hub is running, so there is no session to end.', {
      hint: 'Start the hub: pincer up',
    });
  const { hasProxy, sessions } = await sessionsOf(hub, app);
  if (!hasProxy) throw new PincerError('SESSION_UNKNOWN', NO_PROXY, { hint: whyNone(hub) });
  const session = findSession(sessions, id);
  await ask(hub, 'DELETE sessions', { query: { id: session.id } });
  if (context.json) printJson({ ok: true, session });
  else print(`The session ${session.id} of ${visible(session.app)} has ended.\n`);
  return EXIT.ok;
}

const NO_SESSIONS: AppSessions = { hasProxy: false, sessions: [] };
const NO_PROXY = 'The running hub has no app proxy, so there are no sessions.';

const whyNone = ({ hubFile: { mode } }: HubClient): string =>
  mode === 'background'
    ? 'It is a background hub that a command started. Replace it by a full one: pincer up'
    : 'Set "proxy.enabled" to true in the configuration, then restart the hub: pincer up';

const sessionsOf = (hub: HubClient, app: string | undefined): Promise<AppSessions> =>
  ask(hub, 'GET sessions', { query: { app } });

const noSessions = (app: string | undefined, { hubFile: { endpoints } }: HubClient): string =>
  app === undefined
    ? `No app has a session. Apps register at ${endpoints.proxy ?? ''}/v1/chat/sessions (docs/apps.md).\n`
    : `The app "${visible(app)}" has no session.\n`;

/** Finds a session by its id or an unambiguous beginning of it. */
function findSession(sessions: readonly AppSessionReport[], id: string): AppSessionReport {
  const found = sessions.filter((each) => each.id.startsWith(id));
  const only = found.find((each) => each.id === id) ?? (found.length === 1 ? found[0] : undefined);
  if (only !== undefined) return only;
  const shown = visible(id);
  throw new PincerError(
    found.length === 0 ? 'SESSION_UNKNOWN' : 'ARGUMENT_INVALID',
    found.length === 0
      ? `There is no session "${shown}", or it has expired.`
      : `Several sessions begin with "${shown}".`,
    { hint: 'List them with their ids: pincer sessions' },
  );
}

interface SessionsOptions {
  readonly style: Style;
  readonly now: number;
  readonly width: number;
}

/** On a narrower terminal the app's details are on a second line. */
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

/** The details that the app sent. All of them are optional. */
function aboutOf({ deviceName, deviceId, chatId, appVersion }: AppSessionReport): string {
  const device = [deviceName, deviceName === undefined ? deviceId : deviceId && `(${deviceId})`];
  const parts = [
    device.filter((part) => part !== undefined).join(' '),
    appVersion && `version ${appVersion}`,
    chatId && `chat ${chatId}`,
  ];
  return visible(parts.filter((part) => part !== undefined && part !== '').join(', ')) || '-';
}

/** Only the largest unit, such as `4 min`. */
const roughly = (ms: number): string => renderSpan(Math.max(0, ms)).split(' ').slice(0, 2).join(' ');

function sumOf(sessions: readonly AppSessionReport[]): string {
  const apps = new Set(sessions.map(({ app }) => app)).size;
  const connected = sessions.filter(({ bridge }) => bridge !== undefined).length;
  return `${plural(sessions.length, 'session')} of ${plural(apps, 'app')}, ${connected} connected.`;
}
