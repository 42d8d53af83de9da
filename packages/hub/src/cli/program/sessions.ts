import type { Command } from 'commander';
import type { Registration } from './registration.ts';

interface SessionFlags {
  readonly app?: string;
}

export function addSessionCommands(program: Command, { context, end }: Registration): void {
  const sessions = program
    .command('sessions')
    .usage('[end ID] [--app NAME]')
    .summary('sessions of apps')
    .description(
      'Sessions that apps have with the app proxy: of which device, since when connected, what is under way.',
    )
    .helpCommand(false)
    .option('--app <app>', 'of this app')
    .action(async ({ app }: SessionFlags) => {
      const { listSessions } = await import('../commands/sessions.ts');
      end(await listSessions(app, context));
    });
  sessions
    .command('end')
    .usage('ID')
    .summary('end a session')
    .description('Ends a session, and with it the connection of its app. The beginning of an id will do.')
    .argument('<session>')
    .action(async (id: string) => {
      const { endSession } = await import('../commands/sessions.ts');
      const { app } = sessions.opts<SessionFlags>();
      end(await endSession(id, app, context));
    });
}
