/** `pincer set`: a setting of a server, or several. */
import { isRecord } from '../../lib/record.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { changeConfig } from '../settings/change-config.ts';
import { serverIn } from '../servers/named-server.ts';
import { readSettings } from '../settings/read-setting.ts';
import { reportChange } from '../settings/report-change.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  usage: 'NAME KEY VALUE',
  description: [
    'Changes settings of a server. The configuration is checked before it is written, and the hub that runs takes it.',
    'KEY VALUE, KEY=VALUE or KEY:=JSON; a list takes several values; { … } is the whole server. Words that begin with - go behind --.',
  ].join('\n'),
  arguments: [
    '<name>',
    ['[words...]', 'such as: requestTimeoutMs 60000, env.LEVEL=warn, policy.write_file ask'],
  ],
  run: ({ words: [name, words], foreign = [] }, context) => set(name, [...words, ...foreign], context),
});

async function set(server: string, words: readonly string[], context: Context): Promise<ExitCode> {
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
