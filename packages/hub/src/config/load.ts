import type { Environment } from '../lib/process.ts';
import { PincerError } from '../core/errors.ts';
import { isRecord, pathText, valueAt } from '../lib/record.ts';
import { parseConfigText, readConfigText, serversIn } from './read-file.ts';
import { checkConfig, type Checked, type ConfigIssue } from './check.ts';
import { listed, ended } from './explain-issue.ts';
import { lineAt, offsetOf } from './json5-tree.ts';
import { openClawFilePath, openClawPlace, readOpenClawFile, type OpenClawFile } from './openclaw-file.ts';
import type { ConfigProblem, FailedServer } from '../core/config-problem.ts';
import type { SecretLookup } from './references.ts';
import type { Config } from './schema.ts';
import { shownTarget } from './secrets.ts';
import { shellWord } from '../lib/text.ts';

/**
 * Loads the configuration in `path` and the servers of OpenClaw's plugin. A missing file is treated as empty. Invalid
 * settings are listed in `problems`. Throws only if a file cannot be read or parsed.
 */
export const loadConfig = (path: string, env: Environment, secret?: SecretLookup): Config =>
  readConfig(readConfigText(path), path, { env, secret });

/** Like `loadConfig`, for a text that may be written to `path`. */
export function readConfig(
  text: string,
  path: string,
  { env, secret }: { readonly env: Environment; readonly secret?: SecretLookup | undefined },
): Config {
  const own = parseConfigText(text, path);
  if (!isRecord(own))
    throw new PincerError('CONFIG_INVALID', `${path} is not valid: it must be an object.`, {
      hint: 'Start the file with { and end it with }.',
    });
  const openClaw = readOpenClawFile(openClawFilePath(env));
  const { value, borrowed } = withServersOf(openClaw, own);
  const placeOf = (at: ConfigIssue['path']): Place => {
    const isBorrowed =
      at[0] === 'servers'
        ? borrowed.has(String(at[1]))
        : isIn(openClaw?.settings, at[0]) && !isIn(own, at[0]);
    if (openClaw === undefined || !isBorrowed)
      return { file: path, line: lineAt(text, offsetOf(text, at)), isOwn: true };
    const line = lineAt(openClaw.text, offsetOf(openClaw.text, openClawPlace(at)));
    return { file: openClaw.path, line, isOwn: false };
  };
  const checked = checkConfig(value, { env, secret });
  // If `servers` is not an object, OpenClaw's servers replace it in the value, so it is checked separately.
  const { servers = {} } = own;
  const wrong = openClaw === undefined || isRecord(servers) ? [] : checkConfig({ servers }, { env }).issues;
  return toConfig(value, { ...checked, issues: [...wrong, ...checked.issues] }, { borrowed, placeOf });
}

/** Throws if anything is wrong. `file` names the value in the error. */
export function parseConfig(
  value: unknown,
  env: Environment,
  file = 'The configuration',
  secret?: SecretLookup,
): Config {
  const checked = checkConfig(value, { env, secret });
  if (checked.issues.length > 0) throw configProblem(checked.issues, file);
  return toConfig(value, checked, { borrowed: new Set() });
}

interface Origin {
  /** Servers that are defined in OpenClaw's file. */
  readonly borrowed: ReadonlySet<string>;
  readonly placeOf?: (path: ConfigIssue['path']) => Place;
}

const isIn = (value: unknown, key: PropertyKey | undefined): boolean =>
  isRecord(value) && key !== undefined && Object.hasOwn(value, key);

/** Adds settings that only OpenClaw's file has, and its servers after those of config.json. */
function withServersOf(
  openClaw: OpenClawFile | undefined,
  own: Readonly<Record<string, unknown>>,
): { value: unknown; borrowed: ReadonlySet<string> } {
  if (openClaw === undefined) return { value: own, borrowed: new Set() };
  const servers = isRecord(own['servers']) ? own['servers'] : {};
  const more = Object.entries(openClaw.servers).filter(([name]) => !Object.hasOwn(servers, name));
  return {
    value: { ...openClaw.settings, ...own, servers: { ...servers, ...Object.fromEntries(more) } },
    borrowed: new Set(more.map(([name]) => name)),
  };
}

function toConfig(value: unknown, { config, issues, wrongProxy }: Checked, origin: Origin): Config {
  const written = serversIn(value);
  const fileOf = (name: string): FailedServer['origin'] =>
    origin.borrowed.has(name) ? 'openclaw.json' : 'config.json';
  const servers = Object.entries(config.servers).map(([name, server]) => {
    const raw = written[name] as Record<string, unknown>;
    return [name, { ...server, shown: shownTarget(raw), identity: identityOf(raw), origin: fileOf(name) }];
  });
  const problems = issues.map((issue) => describeIssue(issue, value, origin.placeOf?.(issue.path)));
  const wrong = Map.groupBy(
    problems.filter(({ section, name }) => section === 'servers' && name !== undefined),
    ({ name }) => name!,
  );
  return {
    ...config,
    proxy: wrongProxy === undefined ? config.proxy : { ...config.proxy, wrong: wrongProxy },
    servers: Object.fromEntries(servers) as Config['servers'],
    failed: [...wrong].map(([name, own]) => toFailed(name, written[name], fileOf(name), own)),
    problems,
  };
}

// oxlint-disable-next-line max-params -- what is known of one entry
const toFailed = (
  name: string,
  raw: unknown,
  origin: FailedServer['origin'],
  problems: readonly ConfigProblem[],
): FailedServer => ({
  name,
  enabled: valueAt(raw, ['enabled']) !== false,
  transport: typeof valueAt(raw, ['command']) === 'string' ? 'stdio' : 'http',
  shown: isRecord(raw) ? shownTarget(raw) : '',
  origin,
  problems,
});

/** Another command or URL under an old name is another server. */
const identityOf = ({ url, command, args = [], cwd }: Record<string, unknown>): string =>
  JSON.stringify({ url, command, args, cwd });

/** Returns all issues in one error, so that a person can correct them at once. */
function configProblem(issues: readonly ConfigIssue[], file: string): PincerError {
  const [first, another] = issues;
  return new PincerError(
    first!.code,
    `${file} is not valid:${listed(issues.map(({ message }) => message))}`,
    {
      hint:
        issues.find(({ hint }) => hint !== undefined)?.hint ??
        'All settings are described in docs/config.md.',
      data: {
        issues: issues.map((issue) => ({ ...issue, path: pathText(issue.path) })),
        ...(another === undefined && first!.missing),
      },
    },
  );
}

interface Place {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Whether it is Pincer's own file, which `pincer set` can change. */
  readonly isOwn: boolean;
}

/**
 * Describes a problem: the setting, its place in the file, and how to correct it. `config` is the raw value.
 */
function describeIssue(issue: ConfigIssue, config: unknown, place?: Place): ConfigProblem {
  const { path, code, missing, effect } = issue;
  const where = place === undefined ? '' : `Line ${place.line} of ${place.file}, `;
  return {
    section: String(path[0] ?? ''),
    name: nameOf(path, config),
    setting: pathText(path),
    file: place?.file,
    line: place?.line,
    code,
    message: ended(`${where}${issue.message}`),
    hint: issue.hint ?? hintFor(path, place),
    effect,
    missing,
  };
}

function nameOf(path: ConfigIssue['path'], config: unknown): string | undefined {
  const [section, first, second] = path;
  if (section === 'servers') return first === undefined ? undefined : String(first);
  if (section !== 'proxy' || first !== 'apps' || typeof second !== 'number') return undefined;
  const name = valueAt(config, ['proxy', 'apps', second, 'name']);
  return typeof name === 'string' ? name : undefined;
}

function hintFor(path: ConfigIssue['path'], place: Place | undefined): string {
  const [section, server, ...key] = path;
  if (place?.isOwn === false) return `Correct ${pathText(openClawPlace(path))} in ${place.file}.`;
  if (section !== 'servers' || server === undefined || place === undefined)
    return 'Correct it in the file. All settings are described in docs/config.md.';
  const name = shellWord(String(server));
  if (key.length === 0) return `Rename it in the file, or remove it: pincer unset ${name}`;
  return `Correct it: pincer set ${name} ${shellWord(pathText(key))} VALUE, or remove the server: pincer unset ${name}`;
}
