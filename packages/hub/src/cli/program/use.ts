import type { Command } from 'commander';
import type { CallFlags } from '../call/options.ts';
import type { Registration } from './registration.ts';

/** For help, and for `pincer --json call …`; main.ts takes the short way where `call` comes first. */
export function addUseCommands(program: Command, { context, foreign, end }: Registration): void {
  program
    .command('call')
    .usage('SERVER.TOOL key=value …')
    .summary('call a tool')
    .description('Calls a tool and prints its result. Starts a hub in the background if none runs.')
    .argument('<server.tool>', 'split at the first dot')
    .argument('[arguments...]', 'key=value, typed by what the tool takes; key:=JSON forces JSON')
    .option('--args <json>', 'all arguments as one JSON object; - reads it from stdin')
    .option('--timeout <ms>', 'give up after this time')
    .option('--out <folder>', 'save pictures, sounds and files of the result here')
    .option('--no-check', 'send the arguments though the tool may not take them')
    .action(async (target: string, pairs: string[], flags: CallFlags) => {
      const { call } = await import('../commands/call.ts');
      const { toOptions } = await import('../call/options.ts');
      end(await call(toOptions(target, [...pairs, ...(foreign ?? [])], flags), context));
    });
}
