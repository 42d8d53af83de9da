import type { Command } from 'commander';
import { collect, type Registration } from './registration.ts';

interface ImportFlags {
  readonly from?: string;
  readonly write?: boolean;
  readonly enable?: readonly string[];
  readonly enableAll?: boolean;
}

export function addImportCommands(program: Command, { context, end }: Registration): void {
  program
    .command('import')
    .usage('[CLIENT] [--from FILE] [--enable NAME …] [--write]')
    .summary('take over servers of other clients')
    .description(
      'Shows the servers that other MCP clients have here, and with --write adds them. Connects to none.\nClients: openclaw, claude-code, claude-desktop, cursor, vscode, codex, windsurf, mcporter.',
    )
    .argument('[client]', 'this client alone')
    .option('--from <file>', 'read this file instead of those of the clients')
    .option('--write', 'add them; without it nothing is changed')
    .option(
      '--enable <name>',
      'switch this one on though a project has it; may be given several times',
      collect,
    )
    .option('--enable-all', 'switch on all that have what they need')
    .action(async (client: string | undefined, flags: ImportFlags) => {
      const { importServers } = await import('../commands/import.ts');
      const { from, write = false, enable = [], enableAll = false } = flags;
      end(importServers({ client, from, write, enable, enableAll }, context));
    });
}
