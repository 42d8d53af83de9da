/** Everything that is wrong with a configuration, at once. */
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { isRecord } from '../core/is-record.ts';
import { valueAt } from '../core/value-at.ts';
import { clashesOfApps } from './app-clashes.ts';
import { explainIssue } from './explain-issue.ts';
import { pathText } from './issue-text.ts';
import { resolveReferences, type ReferenceSources } from './references.ts';
import { configSchema } from './schema.ts';

type Path = readonly PropertyKey[];

export interface ConfigIssue {
  readonly path: Path;
  /** Begins with the setting. */
  readonly message: string;
  readonly code: ErrorCode;
  readonly hint?: string | undefined;
  /** What a reference leads to that is not there: `variable` or `secret`. Elsewhere it may be. */
  readonly missing?: Readonly<Record<string, unknown>> | undefined;
}

export interface Checked {
  readonly config: ReturnType<typeof configSchema.safeParse>['data'];
  readonly issues: readonly ConfigIssue[];
}

export function checkConfig(value: unknown, sources: ReferenceSources): Checked {
  const unresolved: ConfigIssue[] = [];
  const resolved = resolveAll(value, []);
  const parsed = configSchema.safeParse(resolved);
  const lost = unresolved.filter(({ path }) => !isSwitchedOff(value, path));
  // What a reference leads to is not known, so nothing else can be said of that text.
  const isLost = (path: Path): boolean => lost.some((issue) => isSame(issue.path, path));
  const broken = [
    ...(parsed.error?.issues ?? []).flatMap((issue) => explainIssue(issue, resolved)),
    ...clashesOfApps(resolved),
  ]
    .filter(({ path }) => !isLost(path))
    .map(({ path, message }) => ({
      path,
      message: `${pathText(path)}: ${message}`,
      code: 'CONFIG_INVALID' as const,
    }));
  const issues = [...lost, ...broken];
  return { config: issues.length === 0 ? parsed.data : undefined, issues };

  function resolveAll(part: unknown, path: Path): unknown {
    if (Array.isArray(part)) return part.map((item, index) => resolveAll(item, [...path, index]));
    if (isRecord(part))
      return Object.fromEntries(
        Object.entries(part).map(([key, item]) => [key, resolveAll(item, [...path, key])]),
      );
    if (typeof part !== 'string') return part;
    try {
      return resolveReferences(part, sources, pathText(path));
    } catch (error) {
      const { code, message, hint, data = {} } = PincerError.from(error);
      const { variable, secret: name } = data;
      const missing = variable === undefined && name === undefined ? undefined : data;
      unresolved.push({ path, message: message.replace(/\.$/, ''), code, hint, missing });
      return part;
    }
  }
}

/** What is switched off needs nothing: a reference in it that leads nowhere stays as it is. */
function isSwitchedOff(config: unknown, [first, name]: Path): boolean {
  if (first === 'proxy') return valueAt(config, [first, 'enabled']) === false;
  return first === 'servers' && name !== undefined && valueAt(config, [first, name, 'enabled']) === false;
}

const isSame = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);
