/** `pincer sessions`: the sessions of apps that the app proxy has. */
import type { AppSessionReport } from '../../client/app-report.ts';
import { ask, findHubClient, type HubClient } from '../../client/hub-client.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { widthOfStream } from '../render/columns.ts';
import { renderSessions } from '../render/sessions.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { styleFor } from '../terminal/style.ts';

interface Sessions {
  /** False: the hub that runs has none. */
  readonly hasProxy: boolean;
  readonly sessions: readonly AppSessionReport[];
}

export async function listSessions(app: string | undefined, context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  const { hasProxy, sessions } = hub === undefined ? NOWHERE : await sessionsOf(hub, app);
  if (context.json) {
    printJson({ ok: true, proxy: hub?.hubFile.endpoints.proxy ?? null, sessions });
    return EXIT.ok;
  }
  const { stdout } = process;
  if (hub === undefined) note('No hub runs, so that apps have no sessions. `pincer up` runs one.\n');
  else if (!hasProxy) note(`${NO_PROXY} ${whyNone(hub)}\n`);
  else if (sessions.length === 0) print(noSessions(app, hub));
  else
    print(
      renderSessions(sessions, { style: styleFor(stdout), now: Date.now(), width: widthOfStream(stdout) }),
    );
  return EXIT.ok;
}

/** `app`: only if it is one of that app. */
export async function endSession(id: string, app: string | undefined, context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  if (hub === undefined)
    throw new PincerError('HUB_UNREACHABLE', 'No hub runs, so that there is no session to end.', {
      hint: 'Sessions are those of a hub that runs: `pincer up`.',
    });
  const { hasProxy, sessions } = await sessionsOf(hub, app);
  if (!hasProxy) throw new PincerError('SESSION_UNKNOWN', NO_PROXY, { hint: whyNone(hub) });
  const session = findSession(sessions, id);
  await hub.control('DELETE sessions', { query: { id: session.id } });
  if (context.json) printJson({ ok: true, session });
  else print(`The session ${session.id} of ${visible(session.app)} has ended.\n`);
  return EXIT.ok;
}

const NOWHERE: Sessions = { hasProxy: false, sessions: [] };
const NO_PROXY = 'The hub that runs has no app proxy, and so no sessions.';

const whyNone = ({ hubFile: { mode } }: HubClient): string =>
  mode === 'background'
    ? 'A command has started it in the background: `pincer up` takes its place.'
    : 'Set "proxy.enabled" to true, and start it again with `pincer up`.';

const sessionsOf = (hub: HubClient, app: string | undefined): Promise<Sessions> =>
  ask<Sessions>(hub, 'GET sessions', app === undefined ? {} : { query: { app } });

const noSessions = (app: string | undefined, { hubFile: { endpoints } }: HubClient): string =>
  app === undefined
    ? `No app has a session. Apps register at ${endpoints.proxy ?? ''}/v1/chat/sessions (docs/apps.md).\n`
    : `The app "${visible(app)}" has no session.\n`;

/** Of this id, or the only one that begins so. */
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
    { hint: '`pincer sessions` lists them with their ids.' },
  );
}
