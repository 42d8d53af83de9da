import type { Command } from 'commander';
import { collect, type Registration } from './registration.ts';

export function addSettingCommands(program: Command, { context, foreign, end }: Registration): void {
  program
    .command('set')
    .usage('NAME KEY VALUE')
    .summary('change settings of a server')
    .description(
      [
        'Changes settings of a server. The configuration is checked before it is written, and the hub that runs takes it.',
        'KEY VALUE, KEY=VALUE or KEY:=JSON; a list takes several values; { … } is the whole server. Words that begin with - go behind --.',
      ].join('\n'),
    )
    .argument('<name>')
    .argument('[words...]', 'such as: requestTimeoutMs 60000, env.LEVEL=warn, policy.write_file ask')
    .action(async (name: string, words: string[]) => {
      const { set } = await import('../commands/set.ts');
      end(await set(name, [...words, ...(foreign ?? [])], context));
    });
  program
    .command('configure')
    .usage('NAME [--set KEY=VALUE …]')
    .summary('go through the usual settings of a server')
    .description('Asks for the usual settings of a server, one after the other; Enter keeps what there is.')
    .argument('<name>')
    .option('--set <key=value>', 'change this and ask nothing; may be given several times', collect)
    .action(async (name: string, { set }: { set?: readonly string[] }) => {
      const { configure } = await import('../commands/configure.ts');
      end(await configure(name, set, context));
    });
  program
    .command('unset')
    .alias('remove')
    .usage('NAME [KEY …]')
    .summary('remove a server, or settings of one')
    .description(
      'Removes a server from the configuration, or settings of one, which then have their defaults.',
    )
    .argument('<name>')
    .argument('[keys...]')
    .action(async (name: string, keys: string[]) => {
      const { unset } = await import('../commands/unset.ts');
      end(await unset(name, keys, context));
    });
  program
    .command('reload')
    .summary('take over a changed configuration')
    .description(
      'Lets the hub that runs take over what has changed in the configuration. Calls under way go on.',
    )
    .action(async () => {
      const { reload } = await import('../commands/reload.ts');
      end(await reload(context));
    });
}
