import type { Command } from 'commander';
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
    .action(async (target: string, pairs: string[], flags: { args?: string; timeout?: string }) => {
      const { call } = await import('../commands/call.ts');
      const { toOptions } = await import('../call/options.ts');
      end(await call(toOptions(target, [...pairs, ...(foreign ?? [])], flags), context));
    });
}
