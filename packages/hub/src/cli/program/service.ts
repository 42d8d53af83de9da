import type { Command } from 'commander';
import type { Registration } from './registration.ts';

export function addServiceCommands(program: Command, { context, end }: Registration): void {
  const service = program
    .command('service')
    .usage('install|remove|status')
    .summary('keep the hub running')
    .description('The hub as a service of yours: systemd, launchd or the Task Scheduler keeps it running.')
    .helpCommand(false);
  service
    .command('install')
    .usage('[--dry-run]')
    .summary('install the service, and start it')
    .description('Installs the service, or writes it anew, and starts it.')
    .option('--dry-run', 'show what would be written and run')
    .action(async ({ dryRun }: { dryRun?: boolean }) => {
      const { installService } = await import('../commands/service.ts');
      end(await installService(dryRun === true, context));
    });
  service
    .command('remove')
    .summary('stop the service, and remove it')
    .description('Stops the service and removes it. The state folder stays.')
    .action(async () => {
      const { removeService } = await import('../commands/service.ts');
      end(await removeService(context));
    });
  service
    .command('status')
    .summary('whether it is installed, and runs')
    .description('Whether the service is installed, and runs.')
    .action(async () => {
      const { serviceStatus } = await import('../commands/service.ts');
      end(await serviceStatus(context));
    });
}
