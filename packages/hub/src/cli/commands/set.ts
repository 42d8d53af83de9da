/** `pincer set`: a setting of a server, or several. */
import { isRecord } from '../../lib/record.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { changeConfig } from '../settings/change-config.ts';
import { serverIn } from '../servers/named-server.ts';
import { readSettings } from '../settings/read-setting.ts';
import { reportChange } from '../settings/report-change.ts';

export async function set(server: string, words: readonly string[], context: Context): Promise<ExitCode> {
  const changes = readSettings(server, words);
  const isWhole = changes.length === 1 && isRecord(changes[0]!.value) && changes[0]!.path.length === 2;
  const changed = await changeConfig(context, (config) => {
    // A whole definition may be that of a new server; a setting needs one that is there.
    if (!isWhole) serverIn(config, server);
    return changes;
  });
  reportChange(server, changed, context);
  return EXIT.ok;
}
