/**
 * The hub of a gateway: attached to where one runs on the state folder, else started as a child. It outlives a reload of
 * the plugin, comes back when it is lost, and ends a while after the last service has stopped, or with the gateway.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ask,
  clientOf,
  findHub,
  PincerError,
  startChildHub,
  type ChildHub,
  type HubClient,
  type HubFile,
  type HubStatus,
} from 'pincer/client';
import { createPauses } from '../pauses.ts';
import type { Runtime } from './runtime.ts';

export interface KeeperParts {
  readonly home: string;
  /** The hub's `bin/pincer.js`. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The port that the entries of the last run name: as long as it is free, nothing has to be written anew. */
  readonly port: number | undefined;
  log(message: string): void;
}

export interface Keeper extends Runtime {
  /** A service runs that needs the hub. */
  retain(): void;
  /** It has stopped; another one may be about to start. */
  release(): void;
}

/** A reload of the plugin takes two seconds. */
const GRACE_MS = 20_000;
const START_MS = 30_000;
/** How often a hub is started whose configuration could not be read. */
const CORRECTED_MS = 1_000;
/** A hub answers after 25 seconds though nothing has changed. */
const SILENT_MS = 60_000;

export function createKeeper({ home, entry, env, port, log }: KeeperParts): Keeper {
  const listeners = new Set<(status: HubStatus) => void>();
  let status: HubStatus | undefined;
  let child: ChildHub | undefined;
  let current: Promise<HubClient> | undefined;
  let users = 0;
  let ending: NodeJS.Timeout | undefined;
  let isFollowing = false;
  let lastPort = port ?? 0;
  const isNeeded = (): boolean => users > 0;

  async function open(): Promise<HubClient> {
    const running = findHub(home);
    if (running !== undefined) {
      log(`uses the hub that runs already (pid ${running.pid})`);
      return at(running);
    }
    // One whose folder somebody has deleted still runs, and holds its servers and its port.
    await child?.end();
    child = await startOn(lastPort);
    log(`has started a hub (pid ${child.hubFile.pid}) at ${child.hubFile.endpoints.mcp}`);
    return at(child.hubFile);
  }

  /** One that is lost comes back where the entries lead. */
  function at(hubFile: HubFile): HubClient {
    lastPort = Number(new URL(hubFile.endpoints.mcp).port);
    return clientOf(home, hubFile);
  }

  async function startOn(wanted: number): Promise<ChildHub> {
    const options = { home, entry, env, waitMs: START_MS };
    try {
      return await startChildHub({ ...options, port: wanted });
    } catch (error) {
      // Somebody else has the port by now. Any other reason shows again.
      if (wanted === 0 || findHub(home) !== undefined || isOfConfig(error)) throw error;
      return startChildHub({ ...options, port: 0 });
    }
  }

  /** The same attempt for everyone; a failed one is forgotten. */
  function connect(): Promise<HubClient> {
    current ??= open().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  }

  /** Tells every change, for as long as somebody needs the hub. */
  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    const pauses = createPauses();
    let told: string | undefined;
    while (isNeeded()) {
      try {
        const hub = await connect();
        const since = status?.revision;
        const next = await ask(hub, 'GET status', {
          query: { since },
          timeoutMs: SILENT_MS,
        });
        // It would answer at once, and be asked again at once.
        if (next.revision === undefined) throw tooOld(next.version);
        pauses.reset();
        told = undefined;
        if (next.revision === since) continue;
        status = next;
        for (const listener of listeners) listener(next);
      } catch (error) {
        current = undefined;
        status = undefined;
        // One that says nothing may hold its folder for ever.
        if (PincerError.is(error) && error.code === 'CALL_TIMEOUT') await child?.end();
        if (!isNeeded()) break;
        const { message, hint = '' } = PincerError.from(error);
        if (isOfConfig(error)) {
          // Somebody corrects the file, and looks whether that was it.
          if (told !== message) log(`${message} ${hint} The hub starts when that is corrected.`);
          await sleep(CORRECTED_MS, undefined, { ref: false });
        } else {
          log(`${message} ${hint} Tried again in ${pauses.nextMs / 1_000} s.`.replace('  ', ' '));
          await pauses.wait();
        }
        told = message;
      }
    }
    isFollowing = false;
  }

  async function end(): Promise<void> {
    const ended = child;
    child = undefined;
    current = undefined;
    status = undefined;
    await ended?.end();
  }

  return {
    hub: () => connect(),
    status: () => status,
    onStatus(listener) {
      listeners.add(listener);
      if (status !== undefined) listener(status);
      return () => listeners.delete(listener);
    },
    retain() {
      users++;
      clearTimeout(ending);
      void follow();
    },
    release() {
      users--;
      clearTimeout(ending);
      if (!isNeeded()) ending = setTimeout(() => void end(), GRACE_MS).unref();
    },
  };
}

/** A file cannot be read: another attempt shows the same until it is corrected. */
const isOfConfig = (error: unknown): boolean =>
  PincerError.is(error) && (error.code === 'CONFIG_INVALID' || error.code === 'CONFIG_UNREADABLE');

const tooOld = (version: string): PincerError =>
  new PincerError('HUB_UNREACHABLE', `The hub that runs is of version ${version}, which is too old. End it.`);
