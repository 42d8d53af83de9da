import {
  ask,
  inChatTerms,
  PincerError,
  visible,
  type HubClient,
  type OfferReport,
  type ProbeReport,
} from 'pincer/client';
import { plural } from '../render.ts';
import { always, findServer, settled, type Subcommand } from '../subcommand.ts';

export const refresh: Subcommand = {
  name: 'refresh',
  usage: '[name]',
  summary: 'reconnect, list the tools again, and repair the entries of agents',
  flags: {},
  least: 0,
  most: 1,
  changes: always,
  async run({ named: [wanted] }, context) {
    const hub = await context.hub();
    const { servers } = await ask(hub, 'GET status');
    const names =
      wanted === undefined
        ? servers.filter(({ state }) => state !== 'disabled').map(({ name }) => name)
        : [findServer(servers, wanted).name];
    if (names.length === 0)
      throw new PincerError('SERVER_UNKNOWN', 'There is no server to refresh.', {
        hint: 'Add one: /mcp connect <url>',
      });
    const refreshed = renderRefreshed(await refreshServers(hub, names));
    return { lines: [...refreshed, ...(await settled(context, true))] };
  },
};

/** Connects to servers if needed, and reads their offers again. */
export const refreshServers = (hub: HubClient, names: readonly string[]): Promise<Refreshed[]> =>
  Promise.all(names.map((name) => refreshServer(hub, name)));

async function refreshServer(hub: HubClient, name: string): Promise<Refreshed> {
  const before = await ask(hub, 'GET offer', { query: { server: name } }).catch(() => undefined);
  try {
    return { name, before, after: await ask(hub, 'POST probe', { body: { name } }) };
  } catch (error) {
    return { name, before, failure: PincerError.from(error) };
  }
}

interface Refreshed {
  readonly name: string;
  readonly before: OfferReport | undefined;
  readonly after?: ProbeReport;
  readonly failure?: PincerError;
}

const MAX_NAMES = 10;

export const renderRefreshed = (all: readonly Refreshed[]): string[] => all.flatMap(linesOf);

function linesOf({ name, before, after, failure }: Refreshed): string[] {
  if (failure !== undefined || after === undefined)
    return [
      `${name}: ${visible(inChatTerms(failure?.message ?? 'no answer'))}`,
      ...(failure?.hint === undefined ? [] : [`  ${visible(inChatTerms(failure.hint))}`]),
    ];
  const changes =
    before?.isKnown === true
      ? [
          ...changed('new', without(after.tools, before.tools)),
          ...changed('removed', without(before.tools, after.tools)),
        ]
      : [];
  return [`${name}: ${plural(after.tools.length, 'tool')}`, ...changes];
}

const without = (names: readonly string[], known: readonly string[]): string[] =>
  names.filter((name) => !known.includes(name));

function changed(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return [`  ${word}: ${names.slice(0, MAX_NAMES).map(visible).join(', ')}${more}`];
}
