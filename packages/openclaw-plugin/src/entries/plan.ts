/** Plans the changes of `mcp.servers`: one entry and one key for each server of the hub, without touching other entries. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isPart, mcpServersIn, partAt, type Part } from '../host-config.ts';
import {
  entryFor,
  madeIn,
  ownEntriesIn,
  type Made,
  type OwnEntry,
  type Owner,
  type Wanted,
} from './entry.ts';

/** An entry that is not ours has the key that a server would get. */
export interface Clash {
  readonly server: string;
  readonly taken: string;
  readonly key: string;
}

export interface Plan {
  /** By key; undefined removes the entry. */
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

/** A person's additions to an entry move with its server to another key. */
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

/**
 * The host derives tool names from keys: at most 30 of [A-Za-z0-9_-], beginning with a letter, unique without regard to
 * case. It would change other keys by itself.
 */
const MAX_KEY = 30;
const OTHER = '-pincer';
const HASH = 8;

interface Named {
  readonly server: string;
  readonly prefix: string;
}

/** Chooses keys by server, deterministically. */
export function chooseKeys(servers: readonly Named[], ofOthers: Iterable<string>): Map<string, string> {
  const taken = new Set([...ofOthers].map((key) => inHost(key).toLowerCase()));
  return new Map(
    servers.map((named) => {
      const key = firstFree(named, taken);
      taken.add(key.toLowerCase());
      return [named.server, key];
    }),
  );
}

/** A key must not end with `_`: rules find its end by the first `__` of a tool name. */
const plainKey = ({ server, prefix }: Named): string =>
  inHost(prefix === '' ? server : prefix).replace(/_+$/, '');

function firstFree(named: Named, taken: ReadonlySet<string>): string {
  const plain = plainKey(named);
  let key = plain;
  for (let tries = 0; taken.has(key.toLowerCase()); tries++)
    key = cut(plain, tries === 0 ? OTHER : `-${hash(`${named.server} ${tries}`)}`);
  return key;
}

/** How the host rewrites a key. If two become equal, it appends a number to one of them. */
function inHost(key: string): string {
  const safe = key.trim().replaceAll(/[^A-Za-z0-9_-]/g, '-') || 'mcp';
  return cut(/^[A-Za-z]/.test(safe) ? safe : `mcp-${safe}`, '');
}

const cut = (key: string, end: string): string => key.slice(0, MAX_KEY - end.length) + end;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH);
