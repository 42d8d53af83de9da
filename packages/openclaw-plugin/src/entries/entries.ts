/**
 * Keeps one entry in OpenClaw's `mcp.servers` for each server of the hub. A changed entry ends the calls that run through
 * it, and a turn may fail while the host reloads its file. So all changes are written at once, and only if there are any.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HubClient, HubStatus, ServerReport } from 'pincer/client';
import { isSwitchedOff } from '../host-config.ts';
import type { HostConfig, HostConfigFile, Logger } from '../host.ts';
import { sharedFor } from '../shared.ts';
import { credentialName, sharedCredentials, type Credentials } from './credentials.ts';
import { ownEntriesIn, type OwnEntry, type Owner, type Wanted } from './entry.ts';
import { planEntries, type Clash } from './plan.ts';
import { writeEntries } from './write.ts';

interface EntriesParts {
  readonly config: HostConfigFile;
  readonly logger: Logger;
  /** The state folder of the hub. */
  readonly home: string;
}

export interface Entries {
  /** Reconciles the entries with the hub. Runs never overlap; a waiting run uses the newest status. */
  reconcile(hub: HubClient, status: HubStatus): Promise<Reconciled>;
  /** Servers whose tools have another prefix, because a person has an entry of that name. */
  clashes(): readonly Clash[];
  /** Reconciles again with the last status after an edit of `mcp.servers`. Returns undefined before the first status. */
  recheck(): Promise<Reconciled> | undefined;
  /** Forgets the file and the credentials, so that the next run reads both again. */
  forget(): void;
  /** Resolves when the host uses what was written last, or after a timeout. */
  whenInForce(): Promise<void>;
  /** Stops all writing and revoking. */
  stop(): void;
}

export interface Reconciled {
  /** Keys of entries that were written or removed. */
  readonly changed: readonly string[];
  readonly kept: readonly string[];
  readonly clashes: readonly Clash[];
}

const nameOfClash = ({ server, key }: Clash): string => `${server} ${key}`;

/** The host's timeout starts before the hub's. */
const MARGIN_MS = 15_000;
/**
 * OpenClaw ends the session of a removed entry at the next turn of the conversation, with the credential of that entry.
 * If the hub refuses it, that turn fails, so a credential stays valid for as long as a conversation may pause.
 */
const KEEP_CREDENTIAL_MS = 24 * 60 * 60_000;
const SWEEP_EVERY_MS = 60 * 60_000;
/** How long to wait until the host has reloaded its file. */
const IN_FORCE_MS = 10_000;
const LOOK_MS = 100;
/** Default for a hub that does not report `longestCallMs`. */
const LONG_MS = 2 * 60 * 60_000;

export const ownerOf = (home: string): Owner => ({ home, isGone: (other) => !existsSync(other) });

export const ownEntries = (config: HostConfig, home: string): OwnEntry[] =>
  ownEntriesIn(config, ownerOf(home));

/** The port in the entries. If the hub uses it again, no entry has to be rewritten. */
export function portInEntries(config: HostConfig, home: string): number | undefined {
  const ports = ownEntries(config, home).map(({ url }) => URL.parse(url)?.port ?? '');
  return ports.map(Number).find((port) => port > 0);
}

export function createEntries({ config, logger, home }: EntriesParts): Entries {
  const owner = ownerOf(home);
  const credentials = sharedCredentials(home);
  const warned = new Set<string>();
  /** Names of the credentials that entries use. */
  let needed: ReadonlySet<string> = new Set();
  /** Since when each other credential has no entry. */
  const unneededSince = new Map<string, number>();
  let sweeping: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** What was last written. The configuration in force may be older. */
  let inFile: readonly Wanted[] | undefined;
  let newest: { readonly hub: HubClient; readonly status: HubStatus } | undefined;
  let clashes: readonly Clash[] = [];
  let waiting: Promise<Reconciled> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function run(): Promise<Reconciled> {
    waiting = undefined;
    const { hub, status } = newest!;
    const own = ownEntriesIn(config.current(), owner);
    const offered = status.servers.filter((server) => isOffered(server, own));
    // Set this before tokens are requested, because a sweep may run at any time.
    needed = new Set(
      offered.filter((server) => !isPerCaller(server)).map(({ name }) => credentialName(name)),
    );
    for (const name of needed) unneededSince.delete(name);
    const wanted = await Promise.all(offered.map((server) => wantedOf(server, hub, own, credentials)));
    if (isStopped) return { changed: [], kept: [], clashes: [] };
    const isNews = !isDeepStrictEqual(wanted, inFile);
    inFile = undefined;
    const mayWrite = (file: HostConfig): boolean => !isStopped && !isSwitchedOff(file);
    const plan = await writeEntries(config, wanted, { owner, isNews, mayWrite });
    inFile = wanted;
    sweepLater();
    clashes = plan.clashes;
    for (const clash of clashes) warnOnce(clash);
    const isNow = new Set(clashes.map(nameOfClash));
    for (const name of warned) if (!isNow.has(name)) warned.delete(name);
    return { changed: [...plan.changes.keys()], kept: plan.kept, clashes: plan.clashes };
  }

  function sweepLater(): void {
    if (isStopped) return;
    sweeping ??= setTimeout(() => {
      sweeping = undefined;
      credentials.sweep(newest!.hub, isKept).catch(() => undefined);
      sweepLater();
    }, SWEEP_EVERY_MS).unref();
  }

  function isKept(credential: string): boolean {
    if (needed.has(credential)) {
      unneededSince.delete(credential);
      return true;
    }
    const since = unneededSince.get(credential) ?? Date.now();
    unneededSince.set(credential, since);
    return Date.now() - since < KEEP_CREDENTIAL_MS;
  }

  /** Warns once per clash, because the status changes often. */
  function warnOnce(clash: Clash): void {
    const { server, taken, key } = clash;
    if (warned.has(nameOfClash(clash))) return;
    warned.add(nameOfClash(clash));
    logger.warn(
      `mcp.servers has another entry "${taken}", so the tools of "${server}" are named ${key}__<tool>.`,
    );
  }

  function runNext(): Promise<Reconciled> {
    waiting ??= last.then(run);
    last = waiting.catch(() => undefined);
    return waiting;
  }

  return {
    reconcile(hub, status) {
      newest = { hub, status };
      return runNext();
    },
    clashes: () => clashes,
    recheck() {
      // The file may differ from what was last written.
      inFile = undefined;
      return newest === undefined ? undefined : runNext();
    },
    forget() {
      inFile = undefined;
      credentials.forget();
    },
    async whenInForce() {
      const isInForce = (): boolean =>
        inFile === undefined || planEntries(config.current(), inFile, owner).changes.size === 0;
      for (let waited = 0; !isInForce() && waited < IN_FORCE_MS; waited += LOOK_MS) await sleep(LOOK_MS);
    },
    stop() {
      isStopped = true;
      clearTimeout(sweeping);
    },
  };
}

/**
 * Leaves out a server that was never reached: OpenClaw would add tools for resources and prompts that do not exist. An idle
 * server is offered, because OpenClaw's first request starts it. A disconnected one is not: the hub refuses it, and OpenClaw
 * retries only a while after a refusal.
 */
function isOffered(server: ServerReport, own: readonly OwnEntry[]): boolean {
  const { name, state, isStale, isMisconfigured, tools } = server;
  if (state === 'disabled' || state === 'stopped' || isMisconfigured === true) return false;
  const isKnown = state === 'ready' || isStale === true || tools > 0;
  if (isKnown || state === 'idle' || isPerCaller(server)) return true;
  return state === 'connecting' && own.some((entry) => entry.server === name);
}

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
  // Reuse the token only at the same URL: at another one, a different process may have received it.
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

/** The entries of the service, for other evaluations of the plugin. */
interface KeptEntries {
  clashes(): readonly Clash[];
  /**
   * Reconciles the entries with the hub, and waits until the host uses them, so that the agent's next turn has the change.
   * A repair reads everything again.
   */
  settle(isRepair: boolean): Promise<Reconciled>;
}

interface Holder {
  kept: KeptEntries | undefined;
}

const holderOf = (home: string): Holder => sharedFor<Holder>('entries', home, () => ({ kept: undefined }));

/** Undefined while no service runs. */
export const keptEntries = (home: string): KeptEntries | undefined => holderOf(home).kept;

/** Returns a function that withdraws them. */
export function keepEntries(home: string, kept: KeptEntries): () => void {
  holderOf(home).kept = kept;
  return () => {
    if (holderOf(home).kept === kept) holderOf(home).kept = undefined;
  };
}
