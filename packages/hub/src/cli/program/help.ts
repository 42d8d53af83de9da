import { Argument, type Command } from 'commander';
import { SHELLS, type Shell } from '../completion/shells.ts';
import { addBackupCommands } from './backup.ts';
import type { Registration } from './registration.ts';

export const HELP_TEXT = `
Examples:
  pincer init
  pincer up
  pincer add everything -- npx -y @modelcontextprotocol/server-everything
  pincer add docs https://example.com/mcp --api-key-env DOCS_KEY
  pincer call everything.echo message=hi
  pincer connect claude-code --write
  pincer token add laptop --server docs --read-only

Exit codes:
  0 ok           1 failure      2 usage    3 sign-in needed
  4 unreachable  5 tool error   6 denied   130 interrupted`;

export function addHelpCommands(program: Command, registration: Registration): void {
  const { context, end } = registration;
  program
    .command('init')
    .usage('[--yes]')
    .summary('a short guided start')
    .description(
      'Imports servers of other programs, connects those programs, asks what of this machine clients may see, pairs it with a gateway of OpenClaw, offers the service. Asks before each step.',
    )
    .option(
      '--yes',
      'do not ask: import and connect all that is found; nothing of this machine is switched on, no gateway, no service',
    )
    .action(async ({ yes }: { yes?: boolean }) => {
      const { init } = await import('../commands/init.ts');
      end(await init(yes === true, context));
    });
  addBackupCommands(program, registration);
  program
    .command('completion')
    .usage(SHELLS.join('|'))
    .summary('completion for a shell')
    .description('Prints a script that makes a shell complete commands, options, servers and tools.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completion } = await import('../commands/completion.ts');
      end(completion(shell, program, context));
    });
  program
    .command('doctor')
    .usage('[--probe]')
    .summary('what is wrong, and what to do')
    .description('What is wrong here, and what to do. Connects to servers only with --probe.')
    .option('--probe', 'connect to every server')
    .action(async ({ probe }: { probe?: boolean }) => {
      const { doctor } = await import('../commands/doctor.ts');
      end(await doctor(context, { probe: probe === true }));
    });
}
