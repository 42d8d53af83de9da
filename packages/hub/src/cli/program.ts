/** Finds the command, parses its options, and runs it or prints its help. */
import { VERSION } from '../lib/version.ts';
import type { CommandDefinition, OptionDefinitions } from './command.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import {
  HELP_OPTION,
  missingCommand,
  parseOptions,
  PROGRAM_OPTIONS,
  readWords,
  unknownCommand,
  unknownOption,
} from './parse.ts';
import { COMMANDS, findRow } from './table.ts';
import { print } from './terminal/output.ts';

export async function runProgram(words: readonly string[], context: Context): Promise<ExitCode> {
  const separator = words.indexOf('--');
  const own = separator === -1 ? words : words.slice(0, separator);
  const foreign = separator === -1 ? undefined : words.slice(separator + 1);
  const level = { path: 'pincer', options: PROGRAM_OPTIONS };
  const { flags, operands, unknown } = parseOptions(own, level);
  if (flags['version'] === true) {
    print(`${VERSION}\n`);
    return EXIT.ok;
  }
  const [word, ...rest] = operands;
  const row = word === undefined ? undefined : findRow(word);
  if (row === undefined) {
    if (own.length === 0 || isHelp(unknown)) return printHelp();
    if (word !== undefined) throw unknownCommand(word, COMMANDS.flatMap(namesOfGroup), level.path);
    if (unknown[0] !== undefined) throw unknownOption(unknown[0], [PROGRAM_OPTIONS, HELP_OPTION], level);
    throw missingCommand(level.path);
  }
  const { command } = await row.load();
  const shown = row.alias === undefined ? row.name : `${row.name}|${row.alias}`;
  const found = { command, path: `pincer ${row.name}`, shownPath: `pincer ${shown}`, inherited: [] };
  return runCommand(found, { words: [...rest, ...unknown], flags: {}, foreign }, context);
}

const namesOfGroup = ({ rows }: (typeof COMMANDS)[number]): string[] =>
  rows.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));

interface Found {
  readonly command: CommandDefinition;
  /** `pincer token add`. */
  readonly path: string;
  /** The path with aliases, for the help. */
  readonly shownPath: string;
  /** Options of its parent commands, the nearest first. */
  readonly inherited: readonly OptionDefinitions[];
}

interface Input {
  readonly words: readonly string[];
  /** Flags of its parent commands. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly foreign: readonly string[] | undefined;
}

async function runCommand(
  found: Found,
  { words, flags, foreign }: Input,
  context: Context,
): Promise<ExitCode> {
  const { command, path, shownPath, inherited } = found;
  const { options = {}, commands = {}, refuse, run } = command;
  const level = { path, options, refuse };
  const parsed = parseOptions(words, level);
  const given = { ...flags, ...parsed.flags };
  const [word, ...rest] = parsed.operands;
  if (word !== undefined && Object.hasOwn(commands, word)) {
    const below = {
      command: commands[word]!,
      path: `${path} ${word}`,
      shownPath: `${shownPath} ${word}`,
      inherited: [options, ...inherited],
    };
    return runCommand(below, { words: [...rest, ...parsed.unknown], flags: given, foreign }, context);
  }
  if (isHelp(parsed.unknown)) return printHelp(found);
  if (run === undefined) {
    if (word !== undefined) throw unknownCommand(word, Object.keys(commands), path);
    if (parsed.unknown.length === 0) throw missingCommand(path, Object.keys(commands));
  }
  if (parsed.unknown[0] !== undefined)
    throw unknownOption(parsed.unknown[0], [options, HELP_OPTION, ...inherited, PROGRAM_OPTIONS], level);
  const read = readWords(parsed.operands, command, level);
  return run!({ words: read as never[], flags: given as never, foreign, table: COMMANDS }, context);
}

const isHelp = (words: readonly string[]): boolean => words.includes('--help') || words.includes('-h');

/** Used if stdout is not a terminal. */
const DEFAULT_WIDTH = 80;

async function printHelp(found?: Found): Promise<ExitCode> {
  const { renderCommandHelp, renderProgramHelp } = await import('./help.ts');
  const width = process.stdout.isTTY ? process.stdout.columns || DEFAULT_WIDTH : DEFAULT_WIDTH;
  print(
    found === undefined
      ? renderProgramHelp(COMMANDS, width)
      : renderCommandHelp({ ...found, path: found.shownPath, width }),
  );
  return EXIT.ok;
}
