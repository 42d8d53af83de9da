import type { Command } from 'commander';
import { collect, type Registration } from './registration.ts';

interface AddFlags {
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly apiKeyEnv?: string;
  readonly cwd?: string;
}

export function addServerCommands(program: Command, { context, foreign, end }: Registration): void {
  program
    .command('add')
    .usage('NAME URL | NAME -- COMMAND …')
    .summary('connect to a server, and keep it')
    .description('Connects to a server, and keeps it in the configuration when that worked.')
    .argument('<name>')
    .argument('[url]')
    .option('--header <name:value>', 'header to send; $NAME is read from the environment', collect)
    .option('--api-key-env <variable>', 'environment variable that holds the API key')
    .option('--env <name=value>', 'variable for the command; $NAME is read from the environment', collect)
    .option('--cwd <folder>', 'folder that the command runs in')
    .action(
      async (name: string, url: string | undefined, { header = [], env = [], apiKeyEnv, cwd }: AddFlags) => {
        const { add } = await import('../commands/add.ts');
        end(await add({ name, url, command: foreign, headers: header, env, apiKeyEnv, cwd }, context));
      },
    );
  program
    .command('list')
    .summary('servers and their state')
    .description('Servers and their state. Connects to none.')
    .action(async () => {
      const { list } = await import('../commands/list.ts');
      end(await list(context));
    });
  program
    .command('tools')
    .usage('[SERVER]')
    .summary('tools, and how to call them')
    .description('Tools, what they take, and for each a line to copy.')
    .argument('[server]')
    .action(async (server: string | undefined) => {
      const { tools } = await import('../commands/tools.ts');
      end(await tools(server, context));
    });
}
