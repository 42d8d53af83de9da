/** Finds all problems of a configuration at once, and returns the part that can still be used. */
import type { z } from 'zod';
import { PincerError, type ErrorCode } from '../core/errors.ts';
import { isRecord, pathText, valueAt } from '../lib/record.ts';
import { explainIssue } from './explain-issue.ts';
import { resolveReferences, type ReferenceSources } from './references.ts';
import { safeConfig, sectionOf, type SafeConfig } from './safe-sections.ts';
import { configSchema } from './schema.ts';
import { serversIn } from './read-file.ts';

type Path = readonly PropertyKey[];

export interface ConfigIssue {
  readonly path: Path;
  /** Begins with the setting. */
  readonly message: string;
  readonly code: ErrorCode;
  readonly hint?: string | undefined;
  /** The `variable` or `secret` that a reference does not find. It may exist in another environment. */
  readonly missing?: Readonly<Record<string, unknown>> | undefined;
  /** What is switched off because of it. */
  readonly effect?: string | undefined;
}

export interface Checked {
  /** The usable part: wrong settings are switched off, or replaced by the strict value. */
  readonly config: z.output<typeof configSchema>;
  readonly issues: readonly ConfigIssue[];
  readonly wrongProxy: SafeConfig['wrongProxy'];
}

const SECTIONS: readonly string[] = Object.keys(configSchema.shape);

export function checkConfig(value: unknown, sources: ReferenceSources): Checked {
  const unresolved: ConfigIssue[] = [];
  const resolved = resolveAll(value, []);
  const parsed = configSchema.safeParse(resolved);
  const lost = unresolved.filter(({ path }) => !isSwitchedOff(value, path));
  // The value of an unresolved reference is unknown, so other issues of that text do not count.
  const isLost = (path: Path): boolean => lost.some((issue) => isSame(issue.path, path));
  const explained = (parsed.error?.issues ?? []).flatMap((issue) => explainIssue(issue, resolved));
  const isWrong = (server: string): boolean =>
    [...lost, ...explained].some(({ path }) => path[0] === 'servers' && path[1] === server);
  const broken = [...explained, ...clashesOfServers(resolved, isWrong), ...clashesOfApps(resolved)]
    .filter(({ path }) => !isLost(path))
    .map(({ path, message }) => ({
      path,
      message: `${pathText(path)}: ${message}`,
      code: 'CONFIG_INVALID' as const,
    }));
  const issues = [...lost, ...broken];
  if (issues.length === 0 && parsed.success) return { config: parsed.data, issues, wrongProxy: undefined };
  const {
    value: usable,
    effects,
    wrongProxy,
  } = safeConfig(
    isRecord(resolved) ? resolved : {},
    issues.map(({ path }) => path).filter(({ length }) => length > 0),
    SECTIONS,
  );
  return {
    config: configSchema.parse(usable),
    issues: issues.map((issue) => ({ ...issue, effect: effectOn(issue, effects) })),
    wrongProxy,
  };

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

function effectOn({ path: [first] }: ConfigIssue, effects: SafeConfig['effects']): string | undefined {
  const section = first === undefined ? undefined : sectionOf(String(first), SECTIONS);
  return section === undefined ? undefined : effects.get(section);
}

/** A switched-off section may have unresolved references. */
function isSwitchedOff(config: unknown, [first, name]: Path): boolean {
  if (first === 'proxy') return valueAt(config, [first, 'enabled']) === false;
  return first === 'servers' && name !== undefined && valueAt(config, [first, name, 'enabled']) === false;
}

const isSame = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((step, index) => step === b[index]);

interface ServerClash {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Finds servers that share a prefix, so that their tools would have the same names. The configuration may be invalid. A
 * server that uses its own name never clashes. Another one with that prefix does, and of two such servers the later. A
 * server with other issues takes no prefix.
 */
function clashesOfServers(config: unknown, isWrong: (server: string) => boolean): ServerClash[] {
  const servers = serversIn(config);
  const owners = new Map(Object.entries(servers).flatMap(([name, server]) => ownName(name, server)));
  return Object.entries(servers).flatMap(([name, server]) => {
    const prefix = prefixOf(server);
    if (prefix === undefined || prefix === '' || prefix === name) return [];
    const owner = owners.get(prefix);
    if (owner === undefined && !isWrong(name)) owners.set(prefix, name);
    return owner === undefined
      ? []
      : [
          {
            path: ['servers', name, 'toolPrefix'],
            message: `"${owner}" already uses the prefix "${prefix}"`,
          },
        ];
  });
}

const prefixOf = (server: unknown): string | undefined =>
  isRecord(server) && typeof server['toolPrefix'] === 'string' ? server['toolPrefix'] : undefined;

const ownName = (name: string, server: unknown): [string, string][] =>
  (prefixOf(server) ?? name) === name ? [[name, name]] : [];

interface AppClash {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * Finds apps with the name or token of another app, or the name of a server. The configuration may be invalid. The later
 * app is reported.
 */
function clashesOfApps(config: unknown): AppClash[] {
  const names = takenByServers(config);
  const hashes = new Map<string, string>();
  const apps = valueAt(config, ['proxy', 'apps']);
  return (Array.isArray(apps) ? apps : []).flatMap((app: unknown, index) => {
    const name = valueAt(app, ['name']);
    const hash = valueAt(app, ['tokenHash']);
    return [
      ...claim(names, name, ['proxy', 'apps', index, 'name'], `the app ${index + 1}`),
      ...claim(hashes, lower(hash), ['proxy', 'apps', index, 'tokenHash'], `the app ${index + 1}`),
    ];
  });
}

/** Names that servers use as tool prefixes or as `/mcp/<name>`. */
function takenByServers(config: unknown): Map<string, string> {
  const taken = new Map<string, string>();
  for (const [name, server] of Object.entries(serversIn(config))) {
    const prefix = isRecord(server) ? server['toolPrefix'] : undefined;
    taken.set(name, `the server ${name}`);
    if (typeof prefix === 'string' && prefix !== '' && !taken.has(prefix))
      taken.set(prefix, `the server ${name}, as its toolPrefix`);
  }
  return taken;
}

function claim(
  taken: Map<string, string>,
  value: unknown,
  path: readonly PropertyKey[],
  owner: string,
): AppClash[] {
  if (typeof value !== 'string') return [];
  const other = taken.get(value);
  if (other === undefined) taken.set(value, owner);
  return other === undefined ? [] : [{ path, message: `already belongs to ${other}` }];
}

const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);
