import type { Command } from 'commander';
import type { Registration } from './registration.ts';

export function addSecretCommands(program: Command, { context, end }: Registration): void {
  const secret = program
    .command('secret')
    .usage('set|list|unset')
    .summary('secrets that the configuration refers to')
    .description('Secrets, sealed in the state folder. The configuration refers to them as "$secret:NAME".')
    .helpCommand(false);
  secret
    .command('set')
    .usage('NAME')
    .summary('keep a secret; its value comes from stdin')
    .description('Keeps a secret, new or changed. Its value is asked for, unseen, or read from stdin.')
    .argument('<name>')
    .action(async (name: string) => {
      const { setSecret } = await import('../commands/secret.ts');
      end(await setSecret(name, context));
    });
  secret
    .command('list')
    .summary('secrets, and what refers to them')
    .description('Secrets, when they were set, and which settings refer to them; never their values.')
    .action(async () => {
      const { listSecrets } = await import('../commands/secret.ts');
      end(listSecrets(context));
    });
  secret
    .command('unset')
    .usage('NAME')
    .summary('forget a secret')
    .description('Forgets a secret.')
    .argument('<name>')
    .action(async (name: string) => {
      const { unsetSecret } = await import('../commands/secret.ts');
      end(await unsetSecret(name, context));
    });
}
