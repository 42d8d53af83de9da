import type { Command } from 'commander';
import type { Registration } from './registration.ts';

export function addBackupCommands(program: Command, { context, end }: Registration): void {
  program
    .command('backup')
    .usage('[FILE] [--with-key]')
    .summary('the state folder in one file')
    .description(
      'Writes all that cannot be had again into one file: configuration, tokens, accepted tools, sealed secrets and sign-ins. Works while a hub runs.',
    )
    .argument('[file]', 'by default pincer-backup-TIME.gz in this folder')
    .option('--with-key', 'also the key that opens secrets and sign-ins')
    .action(async (file: string | undefined, { withKey }: { withKey?: boolean }) => {
      const { backup } = await import('../commands/backup.ts');
      end(backup(file, { withKey: withKey === true }, context));
    });
  program
    .command('restore')
    .usage('FILE')
    .summary('the state folder as a backup has it')
    .description(
      'Puts back what `pincer backup` wrote, or a daily copy of the state (copies/ in the state folder). No hub may run. What was there before is kept.',
    )
    .argument('<file>')
    .action(async (file: string) => {
      const { restore } = await import('../commands/restore.ts');
      end(await restore(file, context));
    });
}
