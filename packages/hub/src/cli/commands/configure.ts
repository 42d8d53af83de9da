/** `pincer configure`: the usual settings of a server, asked one after the other, or given by `--set`. */
import type { ConfigChange } from '../../config/edit.ts';
import { readConfigFile } from '../../config/read-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note } from '../terminal/output.ts';
import { isSomebodyThere, nobodyThere, openPerson } from '../terminal/person.ts';
import { changeConfig } from '../settings/change-config.ts';
import { interview } from '../settings/interview.ts';
import { serverIn } from '../servers/named-server.ts';
import { readPair } from '../settings/read-setting.ts';
import { reportChange } from '../settings/report-change.ts';
import { styleFor } from '../terminal/style.ts';

export async function configure(
  server: string,
  pairs: readonly string[] | undefined,
  context: Context,
): Promise<ExitCode> {
  const written = serverIn(readConfigFile(configPath(context.home)), server);
  const changes = pairs?.flatMap((pair) => readPair(server, pair)) ?? (await askFor(server, written));
  if (changes === undefined || changes.length === 0) {
    note(changes === undefined ? '\nNothing was changed.\n' : 'Nothing was changed.\n');
    return changes === undefined ? EXIT.interrupted : EXIT.ok;
  }
  const changed = await changeConfig(context, (config) => {
    serverIn(config, server);
    return changes;
  });
  reportChange(server, changed, context);
  return EXIT.ok;
}

async function askFor(
  server: string,
  written: Readonly<Record<string, unknown>>,
): Promise<ConfigChange[] | undefined> {
  if (!isSomebodyThere())
    throw nobodyThere(`Give the settings: pincer configure ${server} --set requestTimeoutMs=60000`);
  note(`The usual settings of ${server}. Enter keeps what stands in brackets, - takes it away.\n`);
  using person = openPerson();
  const style = styleFor(process.stderr);
  return await interview(server, written, { style, ask: (question) => person.ask(question), tell: note });
}
