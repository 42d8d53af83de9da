/** All commands of the table with their options and the completions of their arguments. */
import {
  helpTextOf,
  type CommandDefinition,
  type CommandGroup,
  type Completions,
  type OptionDefinitions,
} from '../command.ts';
import { HELP_OPTION, namesIn, PROGRAM_OPTIONS, readArgument } from '../parse.ts';

export interface OptionSpec {
  /** `--port`, or `-h` and `--help`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Undefined: the option takes no value. Empty: its value cannot be completed. */
  readonly values: Completions | undefined;
}

export interface CommandSpec {
  /** Empty for the program itself, else such as `token add`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly OptionSpec[];
  readonly values: Completions;
}

/** Completions by the name of an argument or of an option's value. */
const BY_NAME: Readonly<Record<string, Completions>> = {
  name: 'servers',
  server: 'servers',
  'server.tool': 'tools',
  app: 'apps',
  session: 'sessions',
  file: 'files',
  folder: 'folders',
};

/** The program and all its commands, in the order of the help. Loads every command. */
export async function readSpec(table: readonly CommandGroup[]): Promise<CommandSpec[]> {
  const rows = table.flatMap((group) => group.rows);
  const loaded = await Promise.all(rows.map((row) => row.load()));
  return [
    {
      path: '',
      commands: rows.map(({ name, summary }) => ({ name, summary })),
      options: describeOptions([PROGRAM_OPTIONS, HELP_OPTION]),
      values: [],
    },
    ...rows.flatMap(({ name }, index) => describeCommand(name, loaded[index]!.command, [])),
  ];
}

function describeCommand(
  path: string,
  command: CommandDefinition,
  inherited: readonly OptionDefinitions[],
): CommandSpec[] {
  const { options = {}, commands = {}, completes } = command;
  const [first] = command.arguments ?? [];
  return [
    {
      path,
      commands: Object.entries(commands).map(([name, { summary }]) => ({ name, summary })),
      options: describeOptions([options, HELP_OPTION, ...inherited, PROGRAM_OPTIONS]),
      values: completes ?? BY_NAME[first === undefined ? '' : readArgument(first).name] ?? [],
    },
    ...Object.entries(commands).flatMap(([name, each]) =>
      describeCommand(`${path} ${name}`, each, [options, ...inherited]),
    ),
  ];
}

const describeOptions = (options: readonly OptionDefinitions[]): OptionSpec[] =>
  options.flatMap((each) =>
    Object.entries(each).map(([spec, definition]) => {
      const value = /<([^>]+)>/.exec(spec)?.[1];
      return {
        names: namesIn(spec),
        summary: helpTextOf(definition),
        values: value === undefined ? undefined : (BY_NAME[value] ?? []),
      };
    }),
  );
