import { Command } from 'commander';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';

export async function runProgram(
  argv: readonly string[],
  _context: Context,
  _debug: boolean,
): Promise<ExitCode> {
  let code: ExitCode = 0;
  const program = new Command('pincer');
  program
    .command('up')
    .option('--port <n>', 'port', Number)
    .option('--background')
    .action(async ({ port, background }: { port?: number; background?: boolean }) => {
      const { up } = await import('./commands/up.ts');
      code = (await up({ port, background: background === true })) as ExitCode;
    });
  await program.parseAsync(argv, { from: 'user' });
  return code;
}
