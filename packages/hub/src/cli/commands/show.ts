/** `pincer show`: a server's settings, without its secrets, and what it offers. Connects to none. */
import { hideClearSecrets } from '../../config/hide-secrets.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { heldTools } from '../../client/held-tools.ts';
import { ask } from '../../client/hub-client.ts';
import { lookAround, warnOfConfig } from '../servers/look.ts';
import type { OfferReport } from '../../client/offer-report.ts';
import { print, printJson } from '../terminal/output.ts';
import { renderShown, type ShownServer } from '../render/shown-server.ts';
import { stateWord } from '../../client/state-word.ts';
import { serverRows } from '../servers/rows.ts';
import { unknownServer } from '../servers/unknown-server.ts';
import { styleFor } from '../terminal/style.ts';

export async function show(name: string | undefined, context: Context): Promise<ExitCode> {
  const look = await lookAround(context);
  const rows = serverRows(look.outline, look.status);
  const names = rows.map((row) => row.name);
  if (name !== undefined && !names.includes(name)) throw unknownServer(name, names);
  const shown: ShownServer[] = [];
  for (const row of rows.filter((each) => (name ?? each.name) === each.name)) {
    const isLoaded = look.status?.servers.some((each) => each.name === row.name) === true;
    const hub = isLoaded && row.state !== 'disabled' ? look.hub : undefined;
    const offer = hub && (await ask<OfferReport>(hub, 'GET offer', { query: { server: row.name } }));
    const held = hub === undefined ? [] : await heldTools(hub, row.name);
    const written = look.outline.find((each) => each.name === row.name)?.raw;
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
  warnOfConfig(look);
  return EXIT.ok;
}
