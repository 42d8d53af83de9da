/** What a new configuration changes. Pure. */
import type { ServerConfig } from '../../config/schema.ts';

export interface Difference {
  readonly added: readonly string[];
  /** Not configured any more, or switched off. */
  readonly removed: readonly string[];
  /** Something of it has changed. */
  readonly changed: readonly string[];
  /** Those of the changed ones that need another connection. */
  readonly restarted: readonly string[];
  readonly unchanged: readonly string[];
}

type Servers = ReadonlyMap<string, ServerConfig>;

/** What the connection itself does not depend on. */
const SOFT: ReadonlySet<string> = new Set([
  'agents',
  'enabled',
  'identity',
  'origin',
  'policy',
  'shown',
  'start',
  'toolFilter',
  'toolPrefix',
  'trust',
] satisfies (keyof ServerConfig)[]);

export function compareServers(before: Servers, after: Servers): Difference {
  const isOn = (servers: Servers, name: string): boolean => servers.get(name)?.enabled === true;
  const names = [...after.keys()];
  const kept = names.filter((name) => isOn(before, name) && isOn(after, name));
  const changed = kept.filter((name) => textOf(before.get(name)!) !== textOf(after.get(name)!));
  const restarted = changed.filter((name) => hardTextOf(before.get(name)!) !== hardTextOf(after.get(name)!));
  return {
    added: names.filter((name) => isOn(after, name) && !isOn(before, name)),
    removed: [...before.keys()].filter((name) => isOn(before, name) && !isOn(after, name)),
    changed,
    restarted,
    unchanged: kept.filter((name) => !changed.includes(name)),
  };
}

const textOf = (config: ServerConfig): string => JSON.stringify(Object.entries(config).toSorted(byKey));

const hardTextOf = (config: ServerConfig): string =>
  JSON.stringify(
    Object.entries(config)
      .filter(([key]) => !SOFT.has(key))
      .toSorted(byKey),
  );

const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
