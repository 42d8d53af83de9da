import type { Command } from 'commander';
import { collect, type Registration } from './registration.ts';
import { addSettingCommands } from './settings.ts';

interface AddFlags {
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly apiKeyEnv?: string;
  readonly cwd?: string;
  readonly timeout?: string;
  readonly check: boolean;
}

interface ToolsFlags {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly clear?: boolean;
}

export function addServerCommands(program: Command, registration: Registration): void {
  const { context, foreign, end } = registration;
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
    .option('--timeout <ms>', 'how long the server may take to start and answer')
    .option('--no-check', 'save it without connecting')
    .action(async (name: string, url: string | undefined, flags: AddFlags) => {
      const { header: headers = [], env = [], apiKeyEnv, cwd, timeout, check } = flags;
      const { add } = await import('../commands/add.ts');
      const { readTimeout } = await import('../call/options.ts');
      const timeoutMs = readTimeout(timeout);
      const given = { name, url, command: foreign, headers, env, apiKeyEnv, cwd, timeoutMs, check };
      end(await add(given, context));
    });
  program
    .command('list')
    .summary('servers and their state')
    .description('Servers and their state. Connects to none.')
    .action(async () => {
      const { list } = await import('../commands/list.ts');
      end(await list(context));
    });
  program
    .command('show')
    .alias('get')
    .usage('[NAME]')
    .summary('a server: settings, state, what it offers')
    .description(
      'The settings of a server, without its secrets, its state, and what it offers. Connects to none.',
    )
    .argument('[name]', 'without it, all')
    .action(async (name: string | undefined) => {
      const { show } = await import('../commands/show.ts');
      end(await show(name, context));
    });
  program
    .command('status')
    .usage('[NAME] [--stderr]')
    .summary('the hub, or one server in detail')
    .description('How the hub and its servers are, or one server in detail. Connects to none.')
    .argument('[name]')
    .option('--stderr', 'all that is kept of what the server wrote to stderr')
    .action(async (name: string | undefined, { stderr }: { stderr?: boolean }) => {
      const { status } = await import('../commands/status.ts');
      end(await status(name, { stderr: stderr === true }, context));
    });
  program
    .command('probe')
    .usage('[NAME]')
    .summary('connect, and ask what is offered')
    .description('Connects to a server, or to all, and asks for what they offer anew.')
    .argument('[name]')
    .action(async (name: string | undefined) => {
      const { probe } = await import('../commands/probe.ts');
      end(await probe(name, context));
    });
  program
    .command('tools')
    .usage('[SERVER] [--include G …] [--exclude G …] [--clear]')
    .summary('tools, and how to call them')
    .description(
      'Tools, what they take, and for each a line to copy. With --include, --exclude or --clear, which tools of a server are offered at all.',
    )
    .argument('[server]')
    .option('--include <tool>', 'offer these alone; * matches anything, commas separate', collect)
    .option('--exclude <tool>', 'do not offer these, even if they are included', collect)
    .option('--clear', 'offer all again')
    .action(async (server: string | undefined, flags: ToolsFlags) => {
      const { include, exclude, clear } = flags;
      if (include === undefined && exclude === undefined && clear === undefined) {
        const { tools } = await import('../commands/tools.ts');
        return end(await tools(server, context));
      }
      const { filterTools } = await import('../commands/filter-tools.ts');
      end(await filterTools(server, { include, exclude, clear: clear === true }, context));
    });
  addSettingCommands(program, registration);
}
