/**
 * The hub's tools get into OpenClaw by entries in its `mcp.servers`, one for each server. A change of an entry ends the calls
 * that run through it, and a turn that begins while the host reads its file again may fail: so nothing is written that is
 * there already, and everything at once.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { clientOf, findHub, type HubClient, type HubStatus, type ServerReport } from 'pincer/client';
import type { HostConfig, HostConfigFile, Logger } from '../host.ts';
import { credentialName, sharedCredentials, type Credentials } from './credentials.ts';
import { ownEntriesIn, type OwnEntry, type Owner, type Wanted } from './entry.ts';
import type { Clash } from './plan.ts';
import { writeEntries } from './write.ts';

export interface EntriesParts {
  readonly config: HostConfigFile;
  readonly logger: Logger;
  /** The state folder of the hub. */
  readonly home: string;
}

export interface Entries {
  /** Brings the entries in step with the hub. Runs never overlap; whoever waits gets the newest status written. */
  reconcile(hub: HubClient, status: HubStatus): Promise<Reconciled>;
  /** Nothing is written or revoked any more: somebody else looks after the entries, or nobody is to. */
  stop(): void;
}

export interface Reconciled {
  /** Keys of entries that were written or taken away. */
  readonly changed: readonly string[];
  readonly kept: readonly string[];
  readonly clashes: readonly Clash[];
}

/** The host's clock starts before the hub's. */
const MARGIN_MS = 15_000;
/** Longer than the host takes to read its file again. */
const SWEEP_AFTER_MS = 60_000;
/** The same, where somebody waits for it. */
const EJECTED_MS = 3_000;
/** For a hub that does not say how long its calls take. */
const LONG_MS = 2 * 60 * 60_000;

const ownerOf = (home: string): Owner => ({ home, isGone: (other) => !existsSync(other) });

export const ownEntries = (config: HostConfig, home: string): OwnEntry[] =>
  ownEntriesIn(config, ownerOf(home));

/** The port that the entries name: where a hub takes it again, none of them has to be written anew. */
export function portInEntries(config: HostConfig, home: string): number | undefined {
  const ports = ownEntries(config, home).map(({ url }) => URL.parse(url)?.port ?? '');
  return ports.map(Number).find((port) => port > 0);
}

export function createEntries({ config, logger, home }: EntriesParts): Entries {
  const owner = ownerOf(home);
  const credentials = sharedCredentials(home);
  const warned = new Set<string>();
  /** Names of credentials. */
  let needed: ReadonlySet<string> = new Set();
  let sweeping: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** What the file has for certain, whatever is in force: a server may be there for less time than the host needs. */
  let inFile: readonly Wanted[] | undefined;
  let newest: { readonly hub: HubClient; readonly status: HubStatus };
  let waiting: Promise<Reconciled> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function run(): Promise<Reconciled> {
    waiting = undefined;
    const { hub, status } = newest;
    const own = ownEntriesIn(config.current(), owner);
    const offered = status.servers.filter(isOffered);
    // Before they are asked for: a sweep may come at any moment.
    needed = new Set(
      offered.filter((server) => !isPerCaller(server)).map(({ name }) => credentialName(name)),
    );
    const wanted = await Promise.all(offered.map((server) => wantedOf(server, hub, own, credentials)));
    if (isStopped) return { changed: [], kept: [], clashes: [] };
    const isNews = !isDeepStrictEqual(wanted, inFile);
    inFile = undefined;
    const plan = await writeEntries(config, wanted, { owner, isNews });
    inFile = wanted;
    sweepLater();
    for (const clash of plan.clashes) tell(clash);
    return { changed: [...plan.changes.keys()], kept: plan.kept, clashes: plan.clashes };
  }

  /** The host ends its sessions by the credentials of entries that have gone: one that fails at that ends a turn. */
  function sweepLater(): void {
    if (isStopped) return;
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      credentials.sweep(newest.hub, (name) => needed.has(name)).catch(() => undefined);
    }, SWEEP_AFTER_MS).unref();
  }

  /** Once for each: the status changes often. */
  function tell({ server, taken, key }: Clash): void {
    if (warned.has(`${server} ${key}`)) return;
    warned.add(`${server} ${key}`);
    logger.warn(
      `"${taken}" is somebody else's entry in mcp.servers, so the tools of "${server}" are called ${key}__<tool>.`,
    );
  }

  return {
    reconcile(hub, status) {
      newest = { hub, status };
      waiting ??= last.then(run);
      last = waiting.catch(() => undefined);
      return waiting;
    },
    stop() {
      isStopped = true;
      clearTimeout(sweeping);
    },
  };
}

/** Takes out all entries of this state folder, and nothing else. Resolves to their keys. */
export async function eject(config: HostConfigFile, home: string): Promise<readonly string[]> {
  const owner = ownerOf(home);
  const { changes } = await writeEntries(config, [], { owner });
  const hubFile = findHub(home);
  if (hubFile === undefined || changes.size === 0) return [...changes.keys()];
  await sleep(EJECTED_MS);
  // A hub that cannot be asked now keeps credentials that nobody has.
  await sharedCredentials(home)
    .sweep(clientOf(home, hubFile), () => false)
    .catch(() => undefined);
  return [...changes.keys()];
}

const isOffered = ({ state }: ServerReport): boolean => state !== 'disabled';
const isPerCaller = ({ auth }: ServerReport): boolean => auth?.isPerCaller === true;

// oxlint-disable-next-line max-params -- one server, and where its credential comes from
async function wantedOf(
  server: ServerReport,
  hub: HubClient,
  own: readonly OwnEntry[],
  credentials: Credentials,
): Promise<Wanted> {
  const { name, prefix = name, longestCallMs = LONG_MS } = server;
  const url = `${hub.hubFile.endpoints.mcp}/${encodeURIComponent(name)}`;
  // Whoever has taken the port of the last hub may have been sent the token of that time.
  const held = own.find((entry) => entry.server === name && entry.url === url)?.token;
  const credential = { name: credentialName(name), server: name };
  return {
    server: name,
    prefix,
    url,
    requestTimeoutMs: longestCallMs + MARGIN_MS,
    token: isPerCaller(server) ? undefined : await credentials.tokenFor(hub, credential, held),
  };
}
