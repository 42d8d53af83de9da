/** What nearly all clients agree on: `command`, `args`, `env`, `cwd`, or `url` and `headers`. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isForbiddenVariable } from '../../core/forbidden-variables.ts';
import { moduleOf } from '../../core/python-command.ts';
import { isRecord } from '../../lib/record.ts';
import type { Dialect } from './dialect.ts';
import type { Entry, Raw } from './entry.ts';
import type { ServerDraft } from './types.ts';

/** Words for transports that Pincer speaks; each finds out by itself which of the HTTP ones it is. */
const TRANSPORTS: ReadonlySet<string> = new Set([
  'stdio',
  'http',
  'sse',
  'streamablehttp',
  'local',
  'remote',
]);

/** A draft out of the usual members, or why there is none. `more` overrides what a client says differently. */
export function commonDraft(entry: Entry, say: Dialect, more: Raw = {}): ServerDraft | string {
  const raw: Raw = { ...entry.raw, ...more };
  const refusal = refusalOf(raw);
  if (refusal !== undefined) return refusal;
  const { command, url } = raw;
  if (typeof command === 'string' && command !== '') return stdioDraft(entry, raw, say);
  if (typeof url === 'string' && url !== '') {
    const headers = sayAll(stringsOf(raw['headers']), say, entry);
    return { url: say(url, entry), ...(headers !== undefined && { headers }) };
  }
  return 'it has neither a command nor a URL.';
}

function refusalOf(raw: Raw): string | undefined {
  if (raw['disabled'] === true || raw['enabled'] === false) return 'it is switched off there.';
  const type = raw['type'] ?? raw['transport'];
  if (typeof type !== 'string' || TRANSPORTS.has(type.toLowerCase().replaceAll(/[-_]/g, '')))
    return undefined;
  return `it speaks "${type}", which Pincer does not.`;
}

function stdioDraft(entry: Entry, raw: Raw, say: Dialect): ServerDraft {
  const { command, args, cwd, envFile } = raw;
  const words = Array.isArray(args) ? args.map((word) => say(String(word), entry)) : [];
  const env = sayAll(withoutForbidden(stringsOf(raw['env']), entry), say, entry);
  const folder = typeof cwd === 'string' && cwd !== '' ? folderOf(say(cwd, entry), entry) : entry.project;
  if (typeof envFile === 'string')
    entry.note(`The variables in ${envFile} are not taken: put those that it needs into env.`);
  const program = say(command as string, entry);
  const modules = folder === undefined ? {} : modulesIn(folder, [program, ...words]);
  const variables = { ...modules, ...env };
  return {
    command: program,
    ...(words.length > 0 && { args: words }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(folder !== undefined && { cwd: folder }),
  };
}

/** Relative to the project, or to the folder of the file. */
function folderOf(cwd: string, { input, project }: Entry): string {
  if (cwd === '~' || /^~[\\/]/.test(cwd)) return join(input.home, cwd.slice(2));
  return isAbsolute(cwd) || cwd.startsWith('$') ? cwd : resolve(project ?? join(input.file, '..'), cwd);
}

/** Those that would let a configuration run other code than the command that it names. */
function withoutForbidden(env: Record<string, string> | undefined, { note }: Entry): typeof env {
  const forbidden = Object.keys(env ?? {}).filter((name) => isForbiddenVariable(name, process.platform));
  for (const name of forbidden) note(`${name} was left out: Pincer gives it to no server.`);
  return env && Object.fromEntries(Object.entries(env).filter(([name]) => !forbidden.includes(name)));
}

/** Of an object, those members that are text, or can be written as one. */
export function stringsOf(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => ['string', 'number', 'boolean'].includes(typeof item))
      .map(([key, item]) => [key, String(item)]),
  );
}

/** Undefined for nothing: an empty object says nothing. */
function sayAll(
  strings: Readonly<Record<string, string>> | undefined,
  say: Dialect,
  entry: Entry,
): Record<string, string> | undefined {
  const pairs = Object.entries(strings ?? {}).map(([key, text]): [string, string] => [key, say(text, entry)]);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** Names in a list; undefined for none. */
export const namesOf = (value: unknown): string[] | undefined => {
  const names = Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  return names.length === 0 ? undefined : names.filter((name) => name !== '');
};

/** Those tools only, and those not; undefined where everything is meant. */
export function filterOf(include: unknown, exclude: unknown): ServerDraft['toolFilter'] {
  const [wanted, unwanted] = [namesOf(include), namesOf(exclude)];
  if (wanted === undefined && unwanted === undefined) return undefined;
  return { ...(wanted && { include: wanted }), ...(unwanted && { exclude: unwanted }) };
}

/** Alternative names of one setting, each with its unit in milliseconds. The first that is set counts. */
type Settings = readonly (readonly [key: string, unit: number])[];

const DAY_MS = 24 * 3_600_000;

/** Converts timeouts to our units and limits. */
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
