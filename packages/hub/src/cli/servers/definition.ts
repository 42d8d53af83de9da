/** Turns the arguments of `pincer add` into the configuration of a server. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { PincerError } from '../../core/errors.ts';
import { findLauncher } from '../../core/launchers.ts';
import { modulesIn } from '../../config/import/draft.ts';
import { moduleOf } from '../../core/python-command.ts';
import { isClearSecret } from '../../config/secrets.ts';

export interface AddOptions {
  readonly name: string;
  readonly url: string | undefined;
  /** The words after `--`; undefined without `--`. */
  readonly command: readonly string[] | undefined;
  readonly headers: readonly string[];
  readonly env: readonly string[];
  readonly apiKeyEnv: string | undefined;
  readonly cwd: string | undefined;
  /** How long the first connection may take. */
  readonly timeoutMs: number | undefined;
  /** Save the server only if the connection works. */
  readonly check: boolean;
}

export type ServerDefinition = Readonly<Record<string, unknown>>;

export function defineServer(options: AddOptions, here: string): ServerDefinition {
  const { url, command } = options;
  if ((url === undefined) === (command === undefined))
    throw usage(
      url === undefined
        ? 'The URL or command of the server is missing.'
        : 'A server has a URL or a command, not both.',
    );
  return url === undefined ? stdioServer(options, here) : httpServer(url, options);
}

function httpServer(url: string, { headers, env, cwd, apiKeyEnv }: AddOptions): ServerDefinition {
  if (env.length > 0 || cwd !== undefined)
    throw usage('--env and --cwd work only for servers with a command.');
  if (!URL.canParse(url)) throw usage(`"${url}" is not a URL.`);
  if (apiKeyEnv !== undefined && !/^\w+$/.test(apiKeyEnv))
    throw usage('--api-key-env takes the name of an environment variable, not the key itself.');
  const entries = headers.map((header) => splitAt(header, ':', '--header'));
  return {
    url,
    ...(apiKeyEnv !== undefined && { apiKey: `$${apiKeyEnv}` }),
    ...(entries.length > 0 && { headers: checked(entries, '--header', ': ') }),
  };
}

function stdioServer(
  { command = [], headers, env, cwd, apiKeyEnv }: AddOptions,
  here: string,
): ServerDefinition {
  const [program, ...args] = command;
  if (program === undefined) throw usage('The command after -- is missing.');
  if (headers.length > 0 || apiKeyEnv !== undefined)
    throw usage('--header and --api-key-env work only for servers with a URL.');
  const entries = env.map((entry) => splitAt(entry, '=', '--env'));
  // By default a server runs in an empty folder, because the modules in the current folder may be untrusted.
  const named = cwd === undefined ? undefined : resolve(here, cwd);
  const modules = named === undefined ? {} : modulesIn(named, command);
  const variables = { ...modules, ...checked(entries, '--env', '=') };
  const folder = named ?? (namesFile(here, command) ? here : undefined);
  return {
    command: program,
    ...(args.length > 0 && { args }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(folder !== undefined && { cwd: folder }),
  };
}

/** The module of `python -m` that is in the folder but is not used, because no folder was given. */
export function unusedModule(
  { command = [], cwd, env }: Pick<AddOptions, 'command' | 'cwd' | 'env'>,
  here: string,
): string | undefined {
  const isNamed = cwd !== undefined || env.some((entry) => entry.startsWith('PYTHONPATH='));
  return isNamed || Object.keys(modulesIn(here, command)).length === 0 ? undefined : moduleOf(command);
}

/**
 * Whether the command names a file in the folder. A bare program name comes from PATH, a package from its registry, and a
 * module from Python's own folders.
 */
function namesFile(folder: string, command: readonly string[]): boolean {
  const isLauncher = findLauncher(command) !== undefined;
  const module = moduleOf(command);
  return command.some((word, at) => {
    if (word === module) return false;
    const path = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word;
    const isPath = isLauncher ? /^\.\.?(?:[\\/]|$)/.test(path) : at > 0 || /[\\/]/.test(path);
    return isPath && !isAbsolute(path) && !path.startsWith('-') && existsSync(resolve(folder, path));
  });
}

function splitAt(text: string, separator: string, option: string): [string, string] {
  const at = text.indexOf(separator);
  if (at < 1) throw usage(`${option} takes NAME${separator}VALUE, not "${text}".`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function checked(
  entries: readonly [string, string][],
  option: string,
  separator: string,
): Record<string, string> {
  for (const [name, value] of entries) {
    if (!isClearSecret(name, value)) continue;
    const variable = name.toUpperCase().replaceAll(/\W/g, '_');
    const isBearer = separator === ': ' && variable === 'AUTHORIZATION';
    const secret = isBearer ? 'MY_TOKEN' : variable;
    const example = `${name}${separator}${isBearer ? 'Bearer ' : ''}$secret:${secret}`;
    throw new PincerError(
      'USAGE',
      `${name} looks like a secret. Do not write secrets on the command line, where other programs can read them.`,
      {
        hint: `Save it in the vault: pincer secret set ${secret}. Then refer to it in single quotes: ${option} '${example}'`,
      },
    );
  }
  return Object.fromEntries(entries);
}

const usage = (message: string): PincerError =>
  new PincerError('USAGE', message, {
    hint: 'Run `pincer add NAME URL`, or `pincer add NAME -- COMMAND ARGUMENTS…`.',
  });
