/** `pincer list`: lists the servers and their state. Connects to none. */
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { describeHub, readOverview, warnOfConfig } from '../servers/overview.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { widthOfStream } from '../render/columns.ts';
import { renderServerList } from '../render/server-list.ts';
import { stateWord } from '../../control/client/state-word.ts';
import { serverRows } from '../servers/rows.ts';
import { styleFor } from '../terminal/style.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  description: 'Lists the servers and their state. Does not connect to them.',
  run: (_given, context) => list(context),
});

async function list(context: Context): Promise<ExitCode> {
  const overview = await readOverview(context);
  const rows = serverRows(overview.outline, overview.status, overview.failed);
  if (context.json) {
    const servers = rows.map((row) => ({ ...row, word: stateWord(row.state, row.transport) }));
    printJson({
      ok: true,
      hub: overview.hub === undefined ? null : describeHub(overview.hub.hubFile),
      configProblem: overview.configProblem ?? null,
      problems: overview.problems,
      servers,
    });
    return EXIT.ok;
  }
  const { stdout } = process;
  print(renderServerList(rows, styleFor(stdout), widthOfStream(stdout)));
  if (overview.status === undefined)
    note('No hub is running, so only the configuration is shown. Start one: pincer up\n');
  warnOfConfig(overview);
  return EXIT.ok;
}
