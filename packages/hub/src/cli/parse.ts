/** The parser of the command line: options of the program and of each command, then the remaining words. */
import { closest, editDistance, plural } from '../lib/text.ts';
import { PincerError } from '../core/errors.ts';
import { visible } from '../core/visible.ts';
import {
  ValueError,
  type ArgumentDefinition,
  type CommandDefinition,
  type OptionDefinition,
  type OptionDefinitions,
  type UsageProblem,
} from './command.ts';

/** Options of every command. `main.ts` also reads `--json` and `--debug` directly, before parsing. */
export const PROGRAM_OPTIONS = {
  '-V, --version': 'show the version',
  '--json': 'print one JSON document on stdout',
  '--debug': 'print stack traces and debug logs',
} as const satisfies OptionDefinitions;

export const HELP_OPTION = { '-h, --help': 'show this help, or the help of a command' } as const;

type Flags = Record<string, unknown>;

export interface ParsedOptions {
  readonly flags: Flags;
  readonly operands: readonly string[];
  /** All words from the first unknown option on, without known options. */
  readonly unknown: readonly string[];
}

/** The level of the command line that an error is about. */
export interface Level {
  /** `pincer token add`. */
  readonly path: string;
  readonly options: OptionDefinitions;
  readonly refuse?: CommandDefinition['refuse'];
}

/** Removes the known options from `words`, wherever they are. Unknown options may belong to a subcommand. */
export function parseOptions(words: readonly string[], level: Level): ParsedOptions {
  const known = namesOf(level.options);
  const flags: Flags = defaultsOf(level.options);
  const operands: string[] = [];
  const unknown: string[] = [];
  let target = operands;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const equals = word.startsWith('--') ? word.indexOf('=') : -1;
    const name = equals === -1 ? word : word.slice(0, equals);
    const spec = isOption(word) ? known.get(name) : undefined;
    // `--yes=1`: a flag takes no value.
    if (spec === undefined || (equals !== -1 && !takesValue(spec))) {
      if (isOption(word) && !NEGATIVE_NUMBER.test(word)) target = unknown;
      target.push(word);
      continue;
    }
    if (!takesValue(spec)) {
      flags[keyOf(spec)] = !longOf(spec).startsWith('--no-');
      continue;
    }
    const value = equals === -1 ? words[++at] : word.slice(equals + 1);
    if (value === undefined)
      throw refusal(level, { kind: 'missing-value', word: name }, `Option "${spec}" needs a value.`);
    const definition = level.options[spec]!;
    flags[keyOf(spec)] = readValue(value, definition, { spec, level, earlier: flags[keyOf(spec)] });
  }
  refuseConflicts(flags, level);
  return { flags, operands, unknown };
}

/** `-5` is an argument, not an option. */
const NEGATIVE_NUMBER = /^-(?:\d+|\d*\.\d+)(?:[eE][+-]?\d+)?$/;
const isOption = (word: string): boolean => word.length > 1 && word.startsWith('-');
const takesValue = (spec: string): boolean => spec.includes('<');

/** Maps each name of an option to its definition: `-V` and `--version` to `-V, --version`. */
const namesOf = (options: OptionDefinitions): Map<string, string> =>
  new Map(Object.keys(options).flatMap((spec) => namesIn(spec).map((name) => [name, spec])));

/** Returns `-V` and `--version` for `-V, --version`. */
export const namesIn = (spec: string): string[] => spec.replace(/ <.*/, '').split(', ');
const longOf = (spec: string): string => namesIn(spec).at(-1)!;

/** Returns `apiKeyEnv` for `--api-key-env <variable>`, and `check` for `--no-check`. */
const keyOf = (spec: string): string =>
  longOf(spec)
    .replace(/^--(?:no-)?/, '')
    .replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase());

/** A flag defaults to false; the flag of a `--no-…` option defaults to true. */
const defaultsOf = (options: OptionDefinitions): Flags =>
  Object.fromEntries(
    Object.keys(options)
      .filter((spec) => !takesValue(spec))
      .map((spec) => [keyOf(spec), longOf(spec).startsWith('--no-')]),
  );

interface ValueOptions {
  readonly spec: string;
  readonly level: Level;
  readonly earlier: unknown;
}

function readValue(
  text: string,
  definition: OptionDefinition,
  { spec, level, earlier }: ValueOptions,
): unknown {
  if (typeof definition === 'string') return text;
  if (definition.many === true) return [...((earlier as string[] | undefined) ?? []), text];
  try {
    return definition.parse === undefined ? text : definition.parse(text);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw misuse(level.path, `The value "${text}" of ${longOf(spec)} is invalid. ${error.message}`);
  }
}

function refuseConflicts(flags: Flags, { path, options }: Level): void {
  for (const [spec, definition] of Object.entries(options)) {
    const other = typeof definition === 'string' ? undefined : definition.conflicts;
    if (other !== undefined && flags[keyOf(spec)] === true && flags[keyOf(other)] === true)
      throw misuse(path, `Option "${spec}" cannot be used with option "${other}".`);
  }
}

/** Returns the words for the handler: one for each argument, and a list for an argument that takes the rest. */
export function readWords(
  operands: readonly string[],
  command: CommandDefinition,
  level: Level,
): readonly unknown[] {
  const definitions = command.arguments ?? [];
  const words = definitions.map((definition, index) => {
    const { name, isRequired, isRest, choices } = readArgument(definition);
    if (isRest) return operands.slice(index);
    const word = operands[index];
    if (word === undefined && isRequired) throw misuse(level.path, `Missing required argument "${name}".`);
    if (word !== undefined && choices !== undefined && !choices.includes(word))
      throw misuse(level.path, `The argument "${name}" must be one of ${choices.join(', ')}, not "${word}".`);
    return word;
  });
  const isOpen = definitions.some((definition) => readArgument(definition).isRest);
  if (!isOpen && operands.length > definitions.length) throw tooMany(operands, command, level);
  return words;
}

function tooMany(operands: readonly string[], command: CommandDefinition, level: Level): PincerError {
  const word = operands[command.arguments?.length ?? 0]!;
  if (command.commands !== undefined) return unknownPart(word, Object.keys(command.commands), level.path);
  const expected = command.arguments?.length ?? 0;
  const limit = expected === 0 ? 'no arguments' : `at most ${plural(expected, 'argument')}`;
  return refusal(
    level,
    { kind: 'too-many-words', word },
    `\`${level.path}\` takes ${limit}, but got ${operands.length}: ${operands.join(', ')}.`,
  );
}

/** For a command with subcommands that can also run by itself. */
function unknownPart(word: string, parts: readonly string[], path: string): PincerError {
  const near = closest(word, parts);
  return new PincerError('USAGE', `\`${path}\` has no command "${visible(word)}".`, {
    hint: near === undefined ? listCommands(parts, path) : `Did you mean ${path} ${near}?`,
  });
}

const listCommands = (parts: readonly string[], path: string): string =>
  `Its ${parts.length === 1 ? 'command' : 'commands'}: ${parts.map((part) => `${path} ${part}`).join(', ')}.`;

/** Without `parts`, the hint is to run the help. */
export const missingCommand = (path: string, parts?: readonly string[]): PincerError =>
  new PincerError('USAGE', `\`${path}\` needs a command.`, {
    hint: parts === undefined ? `Run \`${path} --help\`.` : listCommands(parts, path),
  });

export const unknownCommand = (word: string, names: readonly string[], path: string): PincerError =>
  misuse(path, `Unknown command "${word}".`, suggest(word, names));

export function unknownOption(
  word: string,
  options: readonly OptionDefinitions[],
  level: Level,
): PincerError {
  const names = options.flatMap((each) => Object.keys(each).map(longOf));
  const near = word.startsWith('--') ? suggest(word, names) : undefined;
  return refusal(level, { kind: 'unknown-option', word }, `Unknown option "${word}".`, near);
}

const MAX_DISTANCE = 3;
const MIN_SIMILARITY = 0.4;

/** Suggests all names with the smallest distance, because several short names may be equally similar. */
function suggest(word: string, names: readonly string[]): string | undefined {
  const bare = (name: string): string => name.replace(/^--/, '');
  const wanted = bare(word);
  const measured = [...new Set(names)].map((name) => ({ name, distance: editDistance(wanted, bare(name)) }));
  const near = measured.filter(({ name, distance }) => {
    const length = Math.max(wanted.length, bare(name).length);
    return bare(name).length > 1 && distance <= MAX_DISTANCE && (length - distance) / length > MIN_SIMILARITY;
  });
  const best = Math.min(...near.map(({ distance }) => distance));
  const nearest = near.filter(({ distance }) => distance === best).map(({ name }) => name);
  return nearest.length > 1 ? `one of ${nearest.toSorted().join(', ')}` : nearest[0];
}

// oxlint-disable-next-line max-params -- one error
const refusal = (level: Level, problem: UsageProblem, message: string, near?: string): PincerError =>
  level.refuse?.(problem) ?? misuse(level.path, message, near);

const misuse = (path: string, message: string, near?: string): PincerError =>
  new PincerError('USAGE', message, {
    hint: near === undefined ? `Run \`${path} --help\`.` : `Did you mean ${near}?`,
  });

export interface Argument {
  readonly name: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly isRest: boolean;
  readonly choices: readonly string[] | undefined;
}

export function readArgument(definition: ArgumentDefinition): Argument {
  const [term, help, choices] = typeof definition === 'string' ? [definition, ''] : definition;
  const isRest = term.endsWith('...]');
  return {
    name: term.slice(1, isRest ? -4 : -1),
    help,
    isRequired: term.startsWith('<'),
    isRest,
    choices,
  };
}
