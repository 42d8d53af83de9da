/** What has to change in `mcp.servers` so that each server of the hub has its entry, and nobody else's is touched. */
import { isDeepStrictEqual } from 'node:util';
import { entryFor, ownEntriesIn, type OwnEntry, type Owner, type Wanted } from './entry.ts';
import { chooseKeys, plainKey } from './keys.ts';
import { madeIn, type Made } from './mark.ts';
import { isPart, mcpServersIn, partAt, type Part } from '../config-part.ts';

/** Somebody else's entry has the key that a server's tools would be named after. */
export interface Clash {
  readonly server: string;
  readonly taken: string;
  readonly key: string;
}

export interface Plan {
  /** By key; undefined: the entry goes. */
  readonly changes: ReadonlyMap<string, Part | undefined>;
  readonly kept: readonly string[];
  readonly clashes: readonly Clash[];
  readonly made: Made;
}

export function planEntries(config: Part, wanted: readonly Wanted[], owner: Owner): Plan {
  const present = mcpServersIn(config);
  const own = new Map(ownEntriesIn(config, owner).map((entry) => [entry.key, entry]));
  const keys = chooseKeys(
    wanted,
    Object.keys(present).filter((key) => !own.has(key)),
  );
  const made = own.values().next().value?.made ?? madeIn(config);
  const next = new Map(
    wanted.map((one) => {
      const key = keys.get(one.server)!;
      return [key, entryFor(one, { home: owner.home, made }, presentOf(one.server, key, own)?.value)];
    }),
  );
  const isKept = ([key, entry]: [string, Part]): boolean => isDeepStrictEqual(own.get(key)?.value, entry);
  return {
    changes: new Map<string, Part | undefined>([
      ...[...own.keys()].filter((key) => !next.has(key)).map((key) => [key, undefined] as const),
      ...[...next].filter((entry) => !isKept(entry)),
    ]),
    kept: [...next].filter(isKept).map(([key]) => key),
    clashes: wanted.flatMap((one) => {
      const [taken, key] = [plainKey(one), keys.get(one.server)!];
      return taken === key ? [] : { server: one.server, taken, key };
    }),
    made,
  };
}

/** What a person has added to an entry goes with its server to another key. */
function presentOf(server: string, key: string, own: ReadonlyMap<string, OwnEntry>): OwnEntry | undefined {
  const there = own.get(key);
  return there?.server === server ? there : [...own.values()].find((entry) => entry.server === server);
}

/** Writes a plan into the host's draft of its configuration. */
export function applyPlan(draft: Record<string, unknown>, { changes, made }: Plan): void {
  const mcp = { ...partAt(draft, 'mcp') };
  const servers = { ...partAt(mcp, 'servers') };
  for (const [key, entry] of changes)
    if (entry === undefined) delete servers[key];
    else servers[key] = entry;
  if (made === 'nothing' || !isEmpty(servers)) mcp['servers'] = servers;
  else delete mcp['servers'];
  if (made === 'mcp' && isEmpty(mcp)) delete draft['mcp'];
  else draft['mcp'] = mcp;
}

const isEmpty = (value: unknown): boolean => isPart(value) && Object.keys(value).length === 0;
