/** `pincer list`: the servers and how they are. Connects to none. */
import type { HubFile } from '../../owner/hub-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import { outlineConfig } from '../config-outline.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ask, findHubClient } from '../hub-client.ts';
import type { HubStatus } from '../hub-status.ts';
import { note, print, printJson } from '../output.ts';
import { renderServerList } from '../render/server-list.ts';
import { stateWord } from '../render/state-word.ts';
import { serverRows } from '../server-rows.ts';
import { styleFor } from '../style.ts';

export async function list(context: Context): Promise<ExitCode> {
  const hub = findHubClient(context);
  const status = hub && (await ask<HubStatus>(hub, 'GET status'));
  const rows = serverRows(outlineConfig(configPath(context.home)), status);
  if (context.json) {
    const servers = rows.map((row) => ({ ...row, word: stateWord(row.state, row.transport) }));
    printJson({ ok: true, hub: hub === undefined ? null : describeHub(hub.hubFile), servers });
    return EXIT.ok;
  }
  print(renderServerList(rows, styleFor(process.stdout)));
  if (status === undefined)
    note('No hub runs, so this is the configuration alone. `pincer up` starts one.\n');
  return EXIT.ok;
}

const describeHub = ({ pid, version, mode, endpoints }: HubFile): object => ({
  pid,
  version,
  mode,
  endpoints,
});
