import type { Command } from 'commander';
import { collect, type Registration } from './registration.ts';

interface LoginFlags {
  readonly browser: boolean;
  readonly code?: string;
  readonly scope?: readonly string[];
  readonly caller?: string;
}

export function addSignInCommands(program: Command, { context, end }: Registration): void {
  program
    .command('login')
    .usage('NAME [--no-browser] [--code CODE]')
    .summary('sign in to a server')
    .description(
      'Opens the page of a server where you sign in, and waits until you have. The link is printed, too.',
    )
    .argument('<name>')
    .option('--no-browser', 'print the link and open nothing')
    .option('--code <code>', 'the code, or the address of the page that your browser could not reach')
    .option('--scope <scope>', 'ask for this right instead of those the server wants', collect)
    .option('--caller <token>', 'for whom, where everyone signs in for themselves: the name of a token')
    .action(async (name: string, { browser, code, scope, caller }: LoginFlags) => {
      const { login } = await import('../commands/login.ts');
      end(await login({ name, browser, code, scopes: scope, caller }, context));
    });
  program
    .command('logout')
    .usage('NAME')
    .summary('forget a sign-in')
    .description('Forgets the sign-in to a server, and tells its authorization server.')
    .argument('<name>')
    .option('--caller <token>', 'of whom, where everyone signs in for themselves: the name of a token')
    .action(async (name: string, { caller }: { caller?: string }) => {
      const { logout } = await import('../commands/logout.ts');
      end(await logout(name, caller, context));
    });
  program
    .command('client-metadata')
    .usage('[URL]')
    .summary('who Pincer is, as a document to host')
    .description(
      'Prints the document that tells authorization servers who Pincer is, for the address that you host it at.',
    )
    .argument('[url]', 'without it, signIn.clientMetadataUrl of the configuration')
    .action(async (url: string | undefined) => {
      const { clientMetadata } = await import('../commands/client-metadata.ts');
      end(clientMetadata(url, context));
    });
}
