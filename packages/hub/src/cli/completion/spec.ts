/** What can be typed after `pincer`, read off the program itself. */
import type { Command, Option } from 'commander';
import { IMPORT_CLIENTS } from '../../config/import/clients.ts';
import { CONNECT_CLIENTS } from '../connect/clients.ts';
import { SHELLS } from './shells.ts';

/** Names that are asked for when they are needed, files, or words that are always the same. */
export type Values = NameKind | 'files' | 'folders' | readonly string[];
export type NameKind = 'servers' | 'tools' | 'secrets' | 'tokens' | 'apps' | 'sessions';

export interface OptionSpec {
  /** `--port`, or `-h` and `--help`. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Undefined: it takes nothing. Empty: something that nobody can guess. */
  readonly values: Values | undefined;
}

export interface CommandSpec {
  /** Empty for the program itself, else such as `token add`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly OptionSpec[];
  readonly values: Values;
}

/** What the words of a command are, where the name of its argument does not say it. */
const ARGUMENTS: Readonly<Record<string, Values>> = {
  'secret set': 'secrets',
  'secret unset': 'secrets',
  'token revoke': 'tokens',
  'token add': [],
  add: [],
  import: IMPORT_CLIENTS.map(({ id }) => id),
  connect: CONNECT_CLIENTS.map(({ id }) => id),
  completion: SHELLS,
};

const BY_NAME: Readonly<Record<string, Values>> = {
  name: 'servers',
  server: 'servers',
  'server.tool': 'tools',
  app: 'apps',
  session: 'sessions',
  file: 'files',
  folder: 'folders',
};

/** The program and all its commands, in the order of the help. */
export function specOf(program: Command): CommandSpec[] {
  const collect = (command: Command, path: string): CommandSpec[] => {
    const visible = command.createHelp().visibleCommands(command);
    const argument = command.registeredArguments[0]?.name() ?? '';
    return [
      {
        path,
        commands: visible.map((each) => ({
          name: each.name(),
          summary: each.summary() || each.description(),
        })),
        options: optionsOf(command),
        values: ARGUMENTS[path] ?? BY_NAME[argument] ?? [],
      },
      ...visible.flatMap((each) => collect(each, path === '' ? each.name() : `${path} ${each.name()}`)),
    ];
  };
  return collect(program, '');
}

function optionsOf(command: Command): OptionSpec[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
    .filter((option, index, all) => all.findIndex((each) => each.flags === option.flags) === index)
    .map(describeOption);
}

function describeOption({
  short,
  long,
  flags,
  description,
  required,
  optional,
  argChoices,
}: Option): OptionSpec {
  const argument = /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1] ?? '';
  return {
    names: [short, long].filter((name) => name !== undefined && name !== null),
    summary: description,
    values: required || optional ? (argChoices ?? BY_NAME[argument] ?? []) : undefined,
  };
}
