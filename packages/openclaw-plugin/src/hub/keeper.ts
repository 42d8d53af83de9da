/**
 * Keeps the hub of a gateway: attaches to one that runs on the state folder, else starts one as a child. The hub survives a
 * reload of the plugin, is restarted if lost, and ends a while after the last service has stopped, or with the gateway.
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

interface KeeperParts {
  readonly home: string;
  /** The hub's `bin/pincer.js`. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The port in the entries of the last run. If it is free, no entry has to be rewritten. */
  readonly port: number | undefined;
  log(message: string): void;
}

export interface Keeper extends Runtime {
  /** A service needs the hub. */
  retain(): void;
  /** The service has stopped. Another one may be about to start. */
  release(): void;
}

/** A reload of the plugin takes two seconds. */
const GRACE_MS = 20_000;
const START_MS = 30_000;
/** Pause between starts while the configuration is invalid. */
const CORRECTED_MS = 1_000;
/** A long poll of the status ends after 25 seconds, so a hub that is silent for longer hangs. */
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
    // A child whose state folder was deleted still runs, and holds its servers and its port.
    await child?.end();
    child = await startOn(lastPort);
    log(`has started a hub (pid ${child.hubFile.pid}) at ${child.hubFile.endpoints.mcp}`);
    return at(child.hubFile);
  }

  /** Remembers the port, so that a restarted hub is where the entries lead. */
  function at(hubFile: HubFile): HubClient {
    lastPort = Number(new URL(hubFile.endpoints.mcp).port);
    return clientOf(home, hubFile);
  }

  async function startOn(wanted: number): Promise<ChildHub> {
    const options = { home, entry, env, waitMs: START_MS };
    try {
      return await startChildHub({ ...options, port: wanted });
    } catch (error) {
      // The port may be taken. Any other reason fails again.
      if (wanted === 0 || findHub(home) !== undefined || isOfConfig(error)) throw error;
      return startChildHub({ ...options, port: 0 });
    }
  }

  /** All callers share one attempt. A failed one is forgotten. */
  function connect(): Promise<HubClient> {
    current ??= open().catch((error: unknown) => {
      current = undefined;
      throw error;
    });
    return current;
  }

  /** Tells listeners each change of the status while a service needs the hub. */
  async function follow(): Promise<void> {
    if (isFollowing) return;
    isFollowing = true;
    const pauses = createPauses();
    let lastMessage: string | undefined;
    while (isNeeded()) {
      try {
        const hub = await connect();
        const since = status?.revision;
        const next = await ask(hub, 'GET status', {
          query: { since },
          timeoutMs: SILENT_MS,
        });
        // Without a revision the hub does not support long polling.
        if (next.revision === undefined) throw tooOld(next.version);
        pauses.reset();
        lastMessage = undefined;
        if (next.revision === since) continue;
        status = next;
        for (const listener of listeners) listener(next);
      } catch (error) {
        current = undefined;
        status = undefined;
        // A hub that hangs would lock its state folder for ever.
        if (PincerError.is(error) && error.code === 'CALL_TIMEOUT') await child?.end();
        if (!isNeeded()) break;
        const { message, hint = '' } = PincerError.from(error);
        if (isOfConfig(error)) {
          // A person is editing the file, so retry soon.
          if (lastMessage !== message) log(`${message} ${hint} The hub starts when the file is corrected.`);
          await sleep(CORRECTED_MS, undefined, { ref: false });
        } else {
          log(`${message} ${hint} Next try in ${pauses.nextMs / 1_000} s.`.replace('  ', ' '));
          await pauses.wait();
        }
        lastMessage = message;
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

/** A retry fails until the file is corrected. */
const isOfConfig = (error: unknown): boolean =>
  PincerError.is(error) && (error.code === 'CONFIG_INVALID' || error.code === 'CONFIG_UNREADABLE');

const tooOld = (version: string): PincerError =>
  new PincerError(
    'HUB_UNREACHABLE',
    `The running hub has version ${version}, which is too old. Stop it, and this plugin starts its own.`,
  );

/** The hub of this gateway, as the other parts of the plugin see it. */
export interface Runtime {
  /** Resolves with the hub, started if needed. */
  hub(): Promise<HubClient>;
  /** The last status of the hub; undefined before the first one. */
  status(): HubStatus | undefined;
  /** Listens for changes of the status. Returns a function that removes the listener. */
  onStatus(listener: (status: HubStatus) => void): () => void;
}

/** Exponential backoff between attempts. */
interface Pauses {
  /** The length of the next pause. */
  readonly nextMs: number;
  /** Does not keep the process alive. */
  wait(): Promise<void>;
  /** An attempt succeeded. */
  reset(): void;
}

const FIRST_MS = 1_000;
const MAX_MS = 60_000;

export function createPauses(): Pauses {
  let nextMs = FIRST_MS;
  return {
    get nextMs() {
      return nextMs;
    },
    async wait() {
      const ms = nextMs;
      nextMs = Math.min(2 * nextMs, MAX_MS);
      await sleep(ms, undefined, { ref: false });
    },
    reset() {
      nextMs = FIRST_MS;
    },
  };
}
