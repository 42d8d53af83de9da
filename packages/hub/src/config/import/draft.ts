/** Reads the settings that nearly all clients share: `command`, `args`, `env`, `cwd`, or `url` and `headers`. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isForbiddenVariable } from '../../core/forbidden-variables.ts';
import { moduleOf } from '../../core/python-command.ts';
import { isRecord } from '../../lib/record.ts';
import type { Dialect } from './dialect.ts';
import type { Entry, Raw } from './entry.ts';
import type { ServerDraft } from './types.ts';

/** Names of transports that Pincer supports. It detects by itself which HTTP transport a server uses. */
const TRANSPORTS: ReadonlySet<string> = new Set([
  'stdio',
  'http',
  'sse',
  'streamablehttp',
  'local',
  'remote',
]);

/** Returns a draft, or the reason why the entry is left out. `more` overrides members that a client writes differently. */
export function commonDraft(entry: Entry, translate: Dialect, more: Raw = {}): ServerDraft | string {
  const raw: Raw = { ...entry.raw, ...more };
  const refusal = refusalOf(raw);
  if (refusal !== undefined) return refusal;
  const { command, url } = raw;
  if (typeof command === 'string' && command !== '') return stdioDraft(entry, raw, translate);
  if (typeof url === 'string' && url !== '') {
    const headers = translateAll(stringsOf(raw['headers']), translate, entry);
    return { url: translate(url, entry), ...(headers !== undefined && { headers }) };
  }
  return 'it has neither a command nor a URL.';
}

function refusalOf(raw: Raw): string | undefined {
  if (raw['disabled'] === true || raw['enabled'] === false) return 'it is switched off there.';
  const type = raw['type'] ?? raw['transport'];
  if (typeof type !== 'string' || TRANSPORTS.has(type.toLowerCase().replaceAll(/[-_]/g, '')))
    return undefined;
  return `it uses the transport "${type}", which Pincer does not support.`;
}

function stdioDraft(entry: Entry, raw: Raw, translate: Dialect): ServerDraft {
  const { command, args, cwd, envFile } = raw;
  const words = Array.isArray(args) ? args.map((word) => translate(String(word), entry)) : [];
  const env = translateAll(withoutForbidden(stringsOf(raw['env']), entry), translate, entry);
  const folder =
    typeof cwd === 'string' && cwd !== '' ? folderOf(translate(cwd, entry), entry) : entry.project;
  if (typeof envFile === 'string')
    entry.note(`The variables in ${envFile} are not imported. Add those that it needs to env.`);
  const program = translate(command as string, entry);
  const modules = folder === undefined ? {} : modulesIn(folder, [program, ...words]);
  const variables = { ...modules, ...env };
  return {
    command: program,
    ...(words.length > 0 && { args: words }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(folder !== undefined && { cwd: folder }),
  };
}

/** Resolves a path relative to the project, or to the folder of the file. */
function folderOf(cwd: string, { input, project }: Entry): string {
  if (cwd === '~' || /^~[\\/]/.test(cwd)) return join(input.home, cwd.slice(2));
  return isAbsolute(cwd) || cwd.startsWith('$') ? cwd : resolve(project ?? join(input.file, '..'), cwd);
}

/** Removes variables that could run other code than the named command. */
function withoutForbidden(env: Record<string, string> | undefined, { note }: Entry): typeof env {
  const forbidden = Object.keys(env ?? {}).filter((name) => isForbiddenVariable(name, process.platform));
  for (const name of forbidden) note(`${name} was left out: Pincer passes it to no server.`);
  return env && Object.fromEntries(Object.entries(env).filter(([name]) => !forbidden.includes(name)));
}

/** The members of an object that are strings, numbers or booleans, as strings. */
export function stringsOf(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => ['string', 'number', 'boolean'].includes(typeof item))
      .map(([key, item]) => [key, String(item)]),
  );
}

/** Returns undefined for an empty object. */
function translateAll(
  strings: Readonly<Record<string, string>> | undefined,
  translate: Dialect,
  entry: Entry,
): Record<string, string> | undefined {
  const pairs = Object.entries(strings ?? {}).map(([key, text]): [string, string] => [
    key,
    translate(text, entry),
  ]);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** The names in a list; undefined if there are none. */
export const namesOf = (value: unknown): string[] | undefined => {
  const names = Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  return names.length === 0 ? undefined : names.filter((name) => name !== '');
};

/** Returns undefined if neither list restricts anything. */
export function filterOf(include: unknown, exclude: unknown): ServerDraft['toolFilter'] {
  const [wanted, unwanted] = [namesOf(include), namesOf(exclude)];
  if (wanted === undefined && unwanted === undefined) return undefined;
  return { ...(wanted && { include: wanted }), ...(unwanted && { exclude: unwanted }) };
}

/** Alternative names of one setting, each with its unit in milliseconds. The first one that is set applies. */
type Settings = readonly (readonly [key: string, unit: number])[];

const DAY_MS = 24 * 3_600_000;

/** Converts timeouts to milliseconds within the limits of Pincer. */
export function timeoutsOf(
  raw: Raw,
  { connect, request }: { connect: Settings; request: Settings },
): Pick<ServerDraft, 'connectTimeoutMs' | 'requestTimeoutMs'> {
  const connectTimeoutMs = first(raw, connect);
  const requestTimeoutMs = first(raw, request);
  return {
    ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  };
}

function first(raw: Raw, settings: Settings): number | undefined {
  for (const [key, unit] of settings) {
    const value = raw[key];
    if (typeof value === 'number' && value > 0)
      return Math.min(DAY_MS, Math.max(1, Math.round(value * unit)));
  }
  return undefined;
}

/**
 * Returns PYTHONPATH for a server that is started with `python -m`, if its module is in the folder. Pincer keeps Python
 * from looking for modules in the current folder, and shows the variable in the configuration instead.
 */
export function modulesIn(folder: string, words: readonly string[]): Record<string, string> {
  const [name = ''] = moduleOf(words)?.split('.') ?? [];
  const isThere = name !== '' && (existsSync(join(folder, `${name}.py`)) || existsSync(join(folder, name)));
  return isThere ? { PYTHONPATH: folder } : {};
}
