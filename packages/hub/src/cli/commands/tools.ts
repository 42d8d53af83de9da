/** `pincer tools`: what can be called, and how. */
import { PincerError } from '../../core/errors.ts';
import { visibleBlock } from '../../core/visible.ts';
import { explainServer } from '../call/explain.ts';
import type { ToolReport } from '../../client/tool-report.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, openHub, type HubClient } from '../../client/hub-client.ts';
import type { HubStatus, ServerReport } from '../../client/status.ts';
import { note, print, printJsonText } from '../terminal/output.ts';
import { renderServerList } from '../render/server-list.ts';
import { stateWord } from '../../client/state-word.ts';
import { renderToolList } from '../render/tool-list.ts';
import { styleFor } from '../terminal/style.ts';
import { showWaiting } from '../terminal/waiting.ts';

export async function tools(server: string | undefined, context: Context): Promise<ExitCode> {
  const hub = await openHub(context);
  const answer = await showWaiting('Asking the servers', listTools(hub, server), context.json);
  const { servers, held: allHeld = [], proxy } = await ask<HubStatus>(hub, 'GET status');
  const isMeant = (name: string): boolean => (server ?? name) === name;
  const silent = servers.filter(
    ({ name, error, tools: count }) => isMeant(name) && error !== undefined && count === 0,
  );
  if (server !== undefined && silent[0] !== undefined) throw unreachable(silent[0]);
  const held = allHeld.filter((tool) => isMeant(tool.server));
  const stale = servers.filter(
    ({ name, isStale, tools: count }) => isMeant(name) && isStale === true && count > 0,
  );
  if (context.json) {
    const rest = { stale: stale.map(({ name }) => name), held };
    // The hub's own text: a schema's numbers are not rounded by reading and writing them.
    printJsonText(`{"ok":true,"tools":${answer},${JSON.stringify(rest).slice(1)}\n`);
  } else if (server === undefined && servers.length === 0 && answer === '[]' && held.length === 0)
    print(renderServerList([], styleFor(process.stdout)));
  else {
    const list = JSON.parse(answer) as ToolReport[];
    const words = stale.map(({ name, state, transport }) => [name, stateWord(state, transport)] as const);
    print(renderToolList(list, { style: styleFor(process.stdout), stale: new Map(words), held }));
  }
  if (answer === '[]' && proxy?.apps.some(({ name, bridges }) => name === server && bridges === 0) === true)
    note(`The app ${server} is not connected: it has tools while it is.\n`);
  for (const { name, error } of silent) note(`${name}: ${visibleBlock(error!.message)}\n`);
  return EXIT.ok;
}

async function listTools(hub: HubClient, server: string | undefined): Promise<string> {
  try {
    return await hub.control('GET tools', server === undefined ? {} : { query: { server } });
  } catch (error) {
    if (server === undefined || !PincerError.is(error) || error.code !== 'SERVER_UNKNOWN') throw error;
    throw await explainServer(hub, server);
  }
}

const unreachable = ({ error }: ServerReport): PincerError =>
  new PincerError('SERVER_UNREACHABLE', error!.message, { hint: error!.hint });
