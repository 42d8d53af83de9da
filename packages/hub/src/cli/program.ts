/** The command line as a whole: its commands, its help, and what it says to a slip of the hand. */
import { Command, CommanderError } from 'commander';
import { VERSION } from '../lib/version.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { addAccessCommands } from './program/access.ts';
import { addHelpCommands, HELP_TEXT } from './program/help.ts';
import { addImportCommands } from './program/import.ts';
import { addOpenClawCommands } from './program/openclaw.ts';
import type { Registration } from './program/registration.ts';
import { addRunCommands } from './program/run.ts';
import { addServerCommands } from './program/servers.ts';
import { addSignInCommands } from './program/sign-in.ts';
import { usageError, usedCommand } from './program/usage-error.ts';
import { addUseCommands } from './program/use.ts';
import { print } from './terminal/output.ts';

export async function runProgram(words: readonly string[], context: Context): Promise<ExitCode> {
  const separator = words.indexOf('--');
  const own = separator === -1 ? words : words.slice(0, separator);
  const foreign = separator === -1 ? undefined : words.slice(separator + 1);
  let exitCode: ExitCode = EXIT.ok;
  const end = (code: ExitCode): void => void (exitCode = code);
  const program = createProgram({ context, foreign, end });
  try {
    await program.parseAsync(own.length === 0 ? ['--help'] : own, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.ok;
    throw usageError(error.message, usedCommand(program, own));
  }
}

/**
 * Options are in the help of the command itself; one may stand in the brackets of another. `usage` of a command without
 * arguments is the library's `[options]`.
 */
const OPTIONS = / \[(?:options|--(?:[^[\]]|\[[^[\]]*\])*)\]/g;
const termOf = (command: Command): string => `${command.name()} ${command.usage()}`.replaceAll(OPTIONS, '');

function createProgram(registration: Registration): Command {
  const program = new Command('pincer')
    .usage('COMMAND [options]')
    .description('The MCP hub for OpenClaw: every tool you have, usable from everywhere you work.')
    .version(VERSION, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help, of a command too')
    .helpCommand(false)
    .option('--json', 'one JSON document on stdout')
    .option('--debug', 'stacks of errors, debug lines of the hub')
    .exitOverride()
    // Failures are reported in one place for all commands.
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf })
    .addHelpText('after', HELP_TEXT);
  addRunCommands(program.commandsGroup('Run:'), registration);
  addServerCommands(program.commandsGroup('Servers:'), registration);
  addImportCommands(program, registration);
  addSignInCommands(program.commandsGroup('Sign-in:'), registration);
  addUseCommands(program.commandsGroup('Use:'), registration);
  addAccessCommands(program.commandsGroup('Access:'), registration);
  addOpenClawCommands(program.commandsGroup('OpenClaw:'), registration);
  addHelpCommands(program.commandsGroup('Help:'), registration);
  return program;
}
