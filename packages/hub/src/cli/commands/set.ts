/** `pincer set`: changes settings of a server. */
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
    'Changes settings of a server. The configuration is checked before it is saved, and a running hub applies it at once.',
    'Write KEY VALUE, KEY=VALUE or KEY:=JSON. A list takes several values; { … } sets the whole server. Put values that begin with - after --.',
  ].join('\n'),
  arguments: [
    '<name>',
    ['[words...]', 'for example requestTimeoutMs 60000, env.LEVEL=warn or policy.write_file ask'],
  ],
  run: ({ words: [name, words], foreign = [] }, context) => set(name, [...words, ...foreign], context),
});

async function set(server: string, words: readonly string[], context: Context): Promise<ExitCode> {
  const changes = readSettings(server, words);
  const isWhole = changes.length === 1 && isRecord(changes[0]!.value) && changes[0]!.path.length === 2;
  const changed = await changeConfig(context, (config) => {
    // A whole definition may create a server; a single setting needs an existing one.
    if (!isWhole) serverIn(config, server);
    return changes;
  });
  reportChange(server, changed, context);
  return EXIT.ok;
}
