import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Registration } from './registration.ts';
import { addNodeCommands } from './node.ts';
import { addServiceCommands } from './service.ts';

interface UpFlags {
  readonly port?: number;
  readonly proxyPort?: number;
  readonly background?: boolean;
  readonly untilEof?: boolean;
}

export function addRunCommands(program: Command, registration: Registration): void {
  addUpCommands(program, registration);
  addNodeCommands(program, registration);
  addProxyStdioCommand(program, registration);
  addMcpServerCommand(program, registration);
  addServiceCommands(program, registration);
}

function addUpCommands(program: Command, { context, end }: Registration): void {
  program
    .command('up')
    .usage('[--port N] [--proxy-port N] [--background | --until-eof]')
    .summary('run the hub')
    .description('Runs the hub, until Ctrl+C. Its log goes to stderr.')
    .option('--port <n>', 'port to listen on; 0 takes a free one', parsePort)
    .option('--proxy-port <n>', 'port of the app proxy; 0 takes a free one', parsePort)
    .option('--background', 'say nothing, take a free port, end when nobody uses it')
    .addOption(
      new Option('--until-eof', 'end when standard input ends: for a program that runs a hub').conflicts(
        'background',
      ),
    )
    .action(async ({ port, proxyPort, background, untilEof }: UpFlags) => {
      const { up } = await import('../commands/up.ts');
      const flags = { background: background === true, untilEof: untilEof === true };
      end(await up({ port, proxyPort, ...flags }, context));
    });
  program
    .command('proxy')
    .usage('[--host ADDRESS] [--port N]')
    .summary('run the app proxy alone')
    .description(
      'Runs the proxy for tools that live inside apps, without servers and agent, until Ctrl+C. `pincer up` runs it too.',
    )
    .option('--host <address>', 'address to listen on; without it 127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 takes a free one', parsePort)
    .action(async ({ host, port }: { host?: string; port?: number }) => {
      const { proxy } = await import('../commands/up.ts');
      end(await proxy({ host, port }, context));
    });
  program
    .command('stdio')
    .usage('[--server NAME]')
    .summary('MCP on stdin and stdout')
    .description(
      'MCP on stdin and stdout, for clients that start a command. Starts a hub in the background if none runs.',
    )
    .option('--server <name>', 'this server alone, under its own tool names')
    .action(async ({ server }: { server?: string }) => {
      const { stdio } = await import('../commands/stdio.ts');
      end(await stdio(server, context));
    });
}

function addProxyStdioCommand(program: Command, { end }: Registration): void {
  program
    .command('proxy-stdio')
    .usage('[--proxy-base-url URL] [--session ID]')
    .summary("an app's tools on stdin and stdout")
    .description(
      "The tools of one app's session on stdin and stdout, for clients that start a command. Asks the app proxy, which runs already.",
    )
    .option('--proxy-base-url <url>', 'where the app proxy is; without it http://127.0.0.1:8000')
    .option('--session <id>', 'the session; without it, `initialize` names it')
    .action(async (flags: { proxyBaseUrl?: string; session?: string }) => {
      const { proxyStdio } = await import('../commands/proxy-stdio.ts');
      end(await proxyStdio(flags));
    });
}

function addMcpServerCommand(program: Command, { context, end }: Registration): void {
  program
    .command('mcp-server')
    .usage('[--verbose]')
    .summary('an OpenClaw agent as an MCP server')
    .description(
      'The tool order_openclaw on stdin and stdout: a message to an OpenClaw agent, and its whole answer. Needs no hub.',
    )
    .option('-v, --verbose', 'say on stderr what happens')
    .option('--version', 'print the version and exit')
    .action(async ({ verbose }: { verbose?: boolean }) => {
      const { mcpServer } = await import('../commands/mcp-server.ts');
      end(await mcpServer(context, verbose === true));
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('A port is a number from 0 to 65535.');
}
