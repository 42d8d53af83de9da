import { PincerError } from '../core/errors.ts';
import { isRecord } from '../core/is-record.ts';
import { checkConfig, pathText, type CheckOptions, type ConfigIssue } from './check.ts';
import { lineAt, offsetOf } from './json5-tree.ts';
import { parseConfigText, readConfigText } from './read-file.ts';
import type { SecretLookup } from './references.ts';
import type { Config } from './schema.ts';
import { shownTarget } from './shown-target.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration in `path`; a missing file is an empty one. */
export function loadConfig(path: string, env: Environment, secret?: SecretLookup): Config {
  const text = readConfigText(path);
  const lineOf = (at: ConfigIssue['path']): number => lineAt(text, offsetOf(text, at));
  return toConfig(parseConfigText(text, path), { env, secret }, { file: path, lineOf });
}

export const parseConfig = (
  value: unknown,
  env: Environment,
  file = 'The configuration',
  secret?: SecretLookup,
): Config => toConfig(value, { env, secret }, { file });

interface Origin {
  readonly file: string;
  readonly lineOf?: (path: ConfigIssue['path']) => number;
}

function toConfig(value: unknown, options: CheckOptions, origin: Origin): Config {
  const { config, issues } = checkConfig(value, options);
  if (config === undefined) throw configProblem(issues, origin);
  const written = isRecord(value) && isRecord(value['servers']) ? value['servers'] : {};
  const servers = Object.entries(config.servers).map(([name, server]) => [
    name,
    { ...server, shown: shownTarget(written[name] as Record<string, unknown>) },
  ]);
  return { ...config, servers: Object.fromEntries(servers) as Config['servers'] };
}

/** All of it in one error: whoever corrects one thing need not start the hub to hear of the next. */
function configProblem(issues: readonly ConfigIssue[], { file, lineOf }: Origin): PincerError {
  const listed = issues.map(({ path, message, ...issue }) => ({
    ...issue,
    path: pathText(path),
    message,
    line: lineOf?.(path),
  }));
  const lines = listed.map(({ line, message }) =>
    line === undefined ? message : `line ${line}, ${message}`,
  );
  const [first, another] = listed;
  const text = another === undefined ? ` ${ended(lines[0]!)}` : lines.map((line) => `\n  ${line}`).join('');
  return new PincerError(first!.code, `${file} is not valid:${text}`, {
    hint: listed.find(({ hint }) => hint !== undefined)?.hint ?? 'See docs/config.md for every setting.',
    data: { issues: listed, ...(another === undefined && first!.missing) },
  });
}

/** A question has its mark already. */
export const ended = (sentence: string): string => (sentence.endsWith('?') ? sentence : `${sentence}.`);
