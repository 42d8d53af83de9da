/** `pincer tools SERVER --include …`: which tools of a server are offered at all. */
import type { ConfigChange } from '../../config/edit.ts';
import { PincerError } from '../../core/errors.ts';
import { isRecord } from '../../lib/record.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, findHubClient } from '../../control/client/hub-client.ts';
import { note } from '../terminal/output.ts';
import { plural } from '../render/plural.ts';
import { changeConfig } from '../settings/change-config.ts';
import { serverIn } from '../servers/named-server.ts';
import { reportChange } from '../settings/report-change.ts';

export interface FilterFlags {
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly clear: boolean;
}

export async function filterTools(
  server: string | undefined,
  flags: FilterFlags,
  context: Context,
): Promise<ExitCode> {
  if (server === undefined)
    throw new PincerError('USAGE', 'Of which server?', {
      hint: "Write `pincer tools SERVER --include 'read_*'`.",
    });
  const changed = await changeConfig(context, (config) => changesOf(server, flags, serverIn(config, server)));
  reportChange(server, changed, context);
  if (!context.json && changed.reload !== undefined) await countLeft(server, context);
  return EXIT.ok;
}

function changesOf(
  server: string,
  { include, exclude, clear }: FilterFlags,
  written: Readonly<Record<string, unknown>>,
): ConfigChange[] {
  const path = ['servers', server, 'toolFilter'];
  const prefix = typeof written['toolPrefix'] === 'string' ? written['toolPrefix'] : server;
  const given = {
    ...(include && { include: names(include, prefix) }),
    ...(exclude && { exclude: names(exclude, prefix) }),
  };
  // Cleared first: `--clear --include x` offers x alone.
  if (clear) return [{ path, value: Object.keys(given).length === 0 ? undefined : given }];
  if (!isRecord(written['toolFilter'])) return [{ path, value: given }];
  return Object.entries(given).map(([key, value]) => ({ path: [...path, key], value }));
}

/** As the server calls them, also where somebody writes `docs__read`. */
const names = (words: readonly string[], prefix: string): string[] =>
  words
    .flatMap((word) => word.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => (prefix !== '' && word.startsWith(`${prefix}__`) ? word.slice(prefix.length + 2) : word));

async function countLeft(server: string, context: Context): Promise<void> {
  const hub = findHubClient(context);
  const offer = hub && (await ask(hub, 'GET offer', { query: { server } }));
  if (offer?.isKnown !== true) return;
  const count = plural(offer.tools.length, 'tool');
  note(
    offer.tools.length === 0
      ? `No tool of ${server} is left: check the names with \`pincer tools ${server} --clear\`.\n`
      : `${server} offers ${count} now.\n`,
  );
}
