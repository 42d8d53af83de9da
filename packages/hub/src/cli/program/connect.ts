import { Option, type Command } from 'commander';
import type { Registration } from './registration.ts';

interface ConnectFlags {
  readonly server?: string;
  readonly stdio?: boolean;
  readonly http?: boolean;
  readonly write?: boolean;
  readonly showToken?: boolean;
}

export function addConnectCommand(program: Command, { context, end }: Registration): void {
  program
    .command('connect')
    .usage('[CLIENT] [--write] [--server NAME]')
    .summary('tell another program of Pincer')
    .description(
      'Prints what connects a client to Pincer; with --write its file is edited, and what was there is kept.\nWithout a client, lists them: Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, Windsurf, OpenClaw,\nmcporter, MCP Inspector.',
    )
    .argument('[client]')
    .option('--write', "edit the client's file; without it nothing is changed")
    .option('--server <name>', 'this server alone, under its own tool names')
    .addOption(new Option('--stdio', 'the client starts a program, which needs no token').conflicts('http'))
    .addOption(new Option('--http', 'the client uses the URL of a hub that runs, with a token'))
    .option('--show-token', 'print the token itself')
    .action(async (client: string | undefined, flags: ConnectFlags) => {
      const { connectClient, listClients } = await import('../commands/connect.ts');
      if (client === undefined) return end(listClients(context));
      const { server, stdio, http, write, showToken } = flags;
      const mode = stdio === true ? 'stdio' : http === true ? 'http' : undefined;
      const options = { server, mode, write: write === true, showToken: showToken === true } as const;
      end(connectClient(client, options, context));
    });
}
