import type { Command } from 'commander';
import type { Registration } from './registration.ts';

export const HELP_TEXT = `
Examples:
  pincer up
  pincer add everything -- npx -y @modelcontextprotocol/server-everything
  pincer add docs https://example.com/mcp --api-key-env DOCS_KEY
  pincer call everything.echo message=hi
  pincer token add laptop --server docs --read-only

Exit codes:
  0 ok           1 failure      2 usage    3 sign-in needed
  4 unreachable  5 tool error   6 denied   130 interrupted`;

export function addHelpCommands(program: Command, { context, end }: Registration): void {
  program
    .command('doctor')
    .summary('what is wrong, and what to do')
    .description('What is wrong here, and what to do. Connects to no server.')
    .action(async () => {
      const { doctor } = await import('../commands/doctor.ts');
      end(await doctor(context));
    });
}
