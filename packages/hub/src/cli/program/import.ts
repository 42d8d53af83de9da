import type { Command } from 'commander';
import type { Registration } from './registration.ts';

export function addImportCommands(program: Command, { context, end }: Registration): void {
  program
    .command('import')
    .usage('[CLIENT] [--from FILE] [--write]')
    .summary('take over servers of other clients')
    .description(
      'Shows the servers that other MCP clients have here, and with --write adds them. Connects to none.\nClients: openclaw, claude-code, claude-desktop, cursor, vscode, codex, windsurf, mcporter.',
    )
    .argument('[client]', 'this client alone')
    .option('--from <file>', 'read this file instead of those of the clients')
    .option('--write', 'add them; without it nothing is changed')
    .action(async (client: string | undefined, { from, write }: { from?: string; write?: boolean }) => {
      const { importServers } = await import('../commands/import.ts');
      end(importServers({ client, from, write: write === true }, context));
    });
}
