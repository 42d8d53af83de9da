/** `pincer show`: shows a server's settings without secrets, and what it offers. Connects to none. */
import { hideClearSecrets } from '../../config/secrets.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { HeldReport, OfferReport } from '../../control/contract/servers.ts';
import { ask } from '../../control/client/hub-client.ts';
import { readOverview, warnOfConfig } from '../servers/overview.ts';
import { print, printJson } from '../terminal/output.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { serverRows, type ServerRow } from '../servers/rows.ts';
import { unknownServer } from '../servers/unknown-server.ts';
import { styleFor, type Style } from '../terminal/style.ts';
import { visible, visibleBlock } from '../../core/visible.ts';
import { renderFacts } from '../render/text.ts';
import { countOffer, selfName, renderError, stateSymbol } from '../render/server-list.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: '[NAME]',
  description:
    'Shows the settings of a server (without secrets), its state, and what it offers. Does not connect to it.',
  arguments: [['[name]', 'the server; default: all servers']],
  run: ({ words: [name] }, context) => show(name, context),
});

async function show(name: string | undefined, context: Context): Promise<ExitCode> {
  const overview = await readOverview(context);
  const rows = serverRows(overview.outline, overview.status, overview.failed);
  const names = rows.map((row) => row.name);
  if (name !== undefined && !names.includes(name)) throw unknownServer(name, names);
  const shown: ShownServer[] = [];
  for (const row of rows.filter((each) => (name ?? each.name) === each.name)) {
    const isLoaded = overview.status?.servers.some((each) => each.name === row.name) === true;
    const isThere = isLoaded && row.state !== 'disabled' && row.isMisconfigured !== true;
    const hub = isThere ? overview.hub : undefined;
    const offer = hub && (await ask(hub, 'GET offer', { query: { server: row.name } }));
    const held = hub === undefined ? [] : await ask(hub, 'GET held', { query: { server: row.name } });
    const written = overview.outline.find((each) => each.name === row.name)?.raw;
    shown.push({ row, offer, held, config: written && hideClearSecrets(written, row.name) });
  }
  if (context.json) {
    const servers = shown.map(({ row, config, offer, held }) => ({
      ...row,
      word: stateWord(row.state, row.transport),
      config: config ?? null,
      offer: offer ?? null,
      held: held.map(({ tool, why }) => ({ tool, why })),
    }));
    printJson(name === undefined ? { ok: true, servers } : { ok: true, server: servers[0]! });
    return EXIT.ok;
  }
  print(shown.map((server) => renderShown(server, styleFor(process.stdout))).join('\n'));
  warnOfConfig(overview);
  return EXIT.ok;
}

interface ShownServer {
  readonly row: ServerRow;
  readonly offer: OfferReport | undefined;
  readonly held: readonly HeldReport[];
  /** Without its secrets. */
  readonly config: unknown;
}

const MAX_NAMES = 40;

export function renderShown({ row, offer, held, config }: ShownServer, style: Style): string {
  const word = stateWord(row.state, row.transport, row.pid);
  const known = offer?.isKnown === true ? offer : undefined;
  const lines = [
    `${stateSymbol(row.state, style)} ${style.bold(visible(row.name))}  ${word}`,
    ...renderError(row, style),
    '',
    ...renderFacts(
      [
        ['calls itself', known && selfName(known)],
        ['era', known?.era],
        ['offers', known ? countOffer(known) : `not known yet: pincer probe ${row.name}`],
        ['tools', known && names(known.tools)],
        ['prompts', known && names(known.prompts)],
        ['resources', known && names([...known.resources, ...known.templates])],
        [
          'held',
          held.length === 0 ? undefined : `${names(held.map(({ tool }) => tool))}: pincer accept ${row.name}`,
        ],
        ['configured in', row.origin ?? 'config.json'],
      ],
      style,
    ),
  ];
  if (config !== undefined) {
    const text = visibleBlock(JSON.stringify(config, undefined, 2));
    lines.push('', ...text.split('\n').map((line) => `  ${line}`));
  }
  return `${lines.join('\n')}\n`;
}

function names(all: readonly string[]): string {
  const shown = all.slice(0, MAX_NAMES).map(visible).join(', ');
  return all.length > MAX_NAMES ? `${shown} and ${all.length - MAX_NAMES} more` : shown;
}
