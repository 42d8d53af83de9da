import type { Command } from 'commander';
import { addConnectCommand } from './connect.ts';
import { PincerError } from '../../core/errors.ts';
import { collect, type Registration } from './registration.ts';
import { addSecretCommands } from './secret.ts';

interface TokenFlags {
  readonly server?: readonly string[];
  readonly tool?: readonly string[];
  readonly readOnly?: boolean;
  readonly approve?: boolean;
  readonly app?: boolean;
  readonly origin?: readonly string[];
}

export function addAccessCommands(program: Command, registration: Registration): void {
  addTokenCommands(program, registration);
  addSecretCommands(program, registration);
  addConnectCommand(program, registration);
}

function addTokenCommands(program: Command, { context, end }: Registration): void {
  const token = program
    .command('token')
    .usage('add|list|revoke')
    .summary('tokens that may do less')
    .description('Tokens of their own for clients that should not see everything, and for apps.')
    .helpCommand(false);
  token
    .command('add')
    .usage('NAME [--server S …] [--tool S.T …] [--read-only] [--approve] | NAME --app [--origin URL …]')
    .summary('make a token; it is shown once')
    .description('Makes a token and prints it. It is shown once.')
    .argument('<name>')
    .option('--server <name>', 'may use this server; may be given several times', collect)
    .option('--tool <server.tool>', 'may use this tool; * at the end matches the rest', collect)
    .option('--read-only', 'may use only tools that say they change nothing')
    .option('--approve', 'what its client answers counts as your approval')
    .option('--app', 'for an app that registers its tools with the app proxy; needs no hub')
    .option(
      '--origin <url>',
      'with --app: pages of this origin may use it; may be given several times',
      collect,
    )
    .action(async (name: string, { server, tool, readOnly, approve, app, origin }: TokenFlags) => {
      const { addAppToken, addToken } = await import('../commands/token.ts');
      const scopes = {
        ...(server && { servers: server }),
        ...(tool && { tools: tool }),
        ...(readOnly === true && { readOnly }),
        ...(approve === true && { approve }),
      };
      if (app === true) {
        if (Object.keys(scopes).length > 0)
          throw misuse('An app calls nothing: --app goes with --origin alone.');
        return end(await addAppToken(name, origin ?? [], context));
      }
      if (origin !== undefined) throw misuse('--origin is for apps.');
      end(await addToken(name, scopes, context));
    });
  token
    .command('list')
    .summary('tokens and what they may use')
    .description('Tokens and what they may use; never the tokens themselves.')
    .action(async () => {
      const { listTokens } = await import('../commands/token.ts');
      end(await listTokens(context));
    });
  token
    .command('revoke')
    .usage('NAME')
    .summary('make a token worthless')
    .description('Makes a token worthless, at once.')
    .argument('<name>')
    .action(async (name: string) => {
      const { revokeToken } = await import('../commands/token.ts');
      end(await revokeToken(name, context));
    });
}

const misuse = (message: string): PincerError =>
  new PincerError('USAGE', message, { hint: 'Write `pincer token add NAME --app --origin https://…`.' });
