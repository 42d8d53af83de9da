import type { Environment } from '../core/environment.ts';
import { PincerError } from '../core/errors.ts';
import { isRecord } from '../core/is-record.ts';
import { serversIn } from './as-written.ts';
import { checkConfig, type ConfigIssue } from './check.ts';
import { listed, pathText } from './issue-text.ts';
import { lineAt, offsetOf } from './json5-tree.ts';
import { openClawFilePath, openClawPlace, readOpenClawFile, type OpenClawFile } from './openclaw-file.ts';
import { parseConfigText, readConfigText } from './read-file.ts';
import type { ReferenceSources, SecretLookup } from './references.ts';
import type { Config } from './schema.ts';
import { shownTarget } from './shown-target.ts';

/** The configuration in `path`, and the servers of OpenClaw's plugin; a missing file is an empty one. */
export function loadConfig(path: string, env: Environment, secret?: SecretLookup): Config {
  const text = readConfigText(path);
  const own = parseConfigText(text, path);
  const openClaw = readOpenClawFile(openClawFilePath(env));
  const { value, borrowed } = withServersOf(openClaw, own);
  const placeOf = (at: ConfigIssue['path']): string => {
    const isBorrowed =
      at[0] === 'servers'
        ? borrowed.has(String(at[1]))
        : isIn(openClaw?.settings, at[0]) && !isIn(own, at[0]);
    if (openClaw === undefined || !isBorrowed) return `line ${lineAt(text, offsetOf(text, at))}`;
    const line = lineAt(openClaw.text, offsetOf(openClaw.text, openClawPlace(at)));
    return `line ${line} of ${openClaw.path}`;
  };
  return toConfig(value, { env, secret }, { file: path, borrowed, placeOf });
}

export const parseConfig = (
  value: unknown,
  env: Environment,
  file = 'The configuration',
  secret?: SecretLookup,
): Config => toConfig(value, { env, secret }, { file, borrowed: new Set() });

interface Origin {
  readonly file: string;
  /** Servers that stand in OpenClaw's file. */
  readonly borrowed: ReadonlySet<string>;
  /** `line 7`, or of which other file. */
  readonly placeOf?: (path: ConfigIssue['path']) => string;
}

const isIn = (value: unknown, key: PropertyKey | undefined): boolean =>
  isRecord(value) && key !== undefined && Object.hasOwn(value, key);

/** The same configuration with what only OpenClaw's file has; its servers after the own ones. */
function withServersOf(
  openClaw: OpenClawFile | undefined,
  own: unknown,
): { value: unknown; borrowed: ReadonlySet<string> } {
  const servers = isRecord(own) ? (own['servers'] ?? {}) : undefined;
  if (openClaw === undefined || !isRecord(own) || !isRecord(servers))
    return { value: own, borrowed: new Set() };
  const more = Object.entries(openClaw.servers).filter(([name]) => !Object.hasOwn(servers, name));
  return {
    value: { ...openClaw.settings, ...own, servers: { ...servers, ...Object.fromEntries(more) } },
    borrowed: new Set(more.map(([name]) => name)),
  };
}

function toConfig(value: unknown, sources: ReferenceSources, origin: Origin): Config {
  const { config, issues } = checkConfig(value, sources);
  if (config === undefined) throw configProblem(issues, origin);
  const written = serversIn(value);
  const servers = Object.entries(config.servers).map(([name, server]) => [
    name,
    {
      ...server,
      shown: shownTarget(written[name] as Record<string, unknown>),
      identity: identityOf(written[name] as Record<string, unknown>),
      origin: origin.borrowed.has(name) ? 'openclaw.json' : 'config.json',
    },
  ]);
  return { ...config, servers: Object.fromEntries(servers) as Config['servers'] };
}

/** Another command or address under an old name is another server. */
const identityOf = ({ url, command, args = [], cwd }: Record<string, unknown>): string =>
  JSON.stringify({ url, command, args, cwd });

/** All of it in one error: whoever corrects one thing need not start the hub to hear of the next. */
function configProblem(issues: readonly ConfigIssue[], { file, placeOf }: Origin): PincerError {
  const described = issues.map(({ path, message, ...issue }) => ({
    ...issue,
    path: pathText(path),
    message,
    place: placeOf?.(path),
  }));
  const lines = described.map(({ place, message }) =>
    place === undefined ? message : `${place}, ${message}`,
  );
  const [first, another] = described;
  return new PincerError(first!.code, `${file} is not valid:${listed(lines)}`, {
    hint: described.find(({ hint }) => hint !== undefined)?.hint ?? 'See docs/config.md for every setting.',
    data: { issues: described, ...(another === undefined && first!.missing) },
  });
}
