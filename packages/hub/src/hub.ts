/** createHub: the only place where things are put together. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, ServerConfig } from './config/schema.ts';
import { createParking } from './core/bridge/parking.ts';
import { createRequestStates } from './core/bridge/request-state.ts';
import { createCalls, type Calls } from './core/calls.ts';
import { createCatalog, type Catalog, type View } from './core/catalog.ts';
import { createCredentials, type Credentials } from './core/credentials.ts';
import { PincerError } from './core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from './core/limits.ts';
import { createPolicy, type PolicyRules } from './core/policy.ts';
import { createNotices } from './core/notices.ts';
import { readRawOffer, toRawOffer, type ListKind } from './core/offer.ts';
import type { Clock, Log, Observer, Sealer, Spawn, Store } from './core/ports.ts';
import { createTaskBook } from './core/task-book.ts';
import {
  createRemoteSource,
  type RemoteSource,
  type ServerState,
  type ServerStatus,
} from './sources/remote/source.ts';
import { createAdmission } from './sources/remote/admission.ts';
import { createDispatch, type Dispatch } from './surfaces/mcp/dispatch.ts';
import { createHandshake } from './surfaces/mcp/handshake.ts';
import type { OnClient } from './surfaces/mcp/legacy-client.ts';
import { createListen } from './surfaces/mcp/listen.ts';
import { createLists } from './surfaces/mcp/lists.ts';
import { createMetaTools } from './surfaces/mcp/meta-tools.ts';
import { createSlots, type Slots } from './surfaces/mcp/slots.ts';
import { createToolSurface } from './surfaces/mcp/tool-surface.ts';

export interface HubPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly spawn: Spawn;
  readonly sealer: Sealer;
  readonly observers: readonly Observer[];
  /** Of the process that the hub runs in: what servers may inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Hub {
  readonly catalog: Catalog;
  readonly calls: Calls;
  readonly limits: Limits;
  readonly log: Log;
  readonly slots: Slots;
  readonly dispatch: Dispatch;
  readonly credentials: Credentials;
  /** A legacy client is there, and hears of changes until it has gone. */
  readonly onClient: OnClient;
  /** Connects to every server, in the background. */
  connectAll(): void;
  /** Connects to a server that is not configured yet, and keeps it when that worked. */
  add(name: string, config: ServerConfig): Promise<void>;
  statuses(): ServerStatus[];
  /** Why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
  /** Resolves when every server of the view has been heard or has failed; undefined when that is so already. */
  whenKnown(view: View): Promise<void> | undefined;
  stop(): Promise<void>;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function createHub(config: Config, ports: HubPorts): Hub {
  const { clock, log, store, spawn, env } = ports;
  const limits: Limits = { ...DEFAULT_LIMITS, ...config.limits };
  const catalog = createCatalog(sha256);
  const credentials = createCredentials(sha256);
  const configs = new Map(Object.entries(config.servers).filter(([, server]) => server.enabled));
  const sources = new Map<string, RemoteSource>();
  /** First attempts that are under way, so that a list can wait for them. */
  const starting = new Map<string, Promise<void>>();
  const admit = createAdmission(config.maxConcurrentServers);
  const notices = createNotices();
  const parking = createParking(limits);
  catalog.onChange((kinds) => notices.changed(kinds));

  const policyRules = (): PolicyRules => ({
    default: config.policy.default,
    servers: Object.fromEntries(
      [...configs].flatMap(([name, { policy }]) => (policy ? [[name, policy]] : [])),
    ),
  });
  let policy = createPolicy(policyRules());

  function configureCatalog(): void {
    catalog.configure([...configs].map(([name, server]) => ({ name, prefix: server.toolPrefix ?? name })));
    policy = createPolicy(policyRules());
  }

  function createSource(name: string, server: ServerConfig): RemoteSource {
    return createRemoteSource(name, {
      config: server,
      limits,
      clock,
      log,
      spawn,
      env,
      admit,
      onOffer(offer) {
        if (!configs.has(name)) return;
        if (catalog.put(name, offer))
          store.saveCatalog({ server: name, origin: originOf(server), offer: toRawOffer(offer) });
      },
      makeRoom: (caller) => parking.expireOldest(caller, name),
      onListChanged: (kind) => notices.changed([kind]),
    });
  }

  function start(name: string): Promise<void> {
    const running = starting.get(name);
    if (running !== undefined) return running;
    const attempt = sources
      .get(name)!
      .start()
      .finally(() => starting.delete(name));
    starting.set(name, attempt);
    attempt.catch((error: unknown) =>
      log.warn(`server "${name}" could not be started`, { error: PincerError.from(error).message }),
    );
    return attempt;
  }

  for (const [name, server] of configs) sources.set(name, createSource(name, server));
  configureCatalog();
  for (const { server, origin, offer } of store.loadCatalogs()) {
    const known = configs.get(server);
    if (known !== undefined && originOf(known) === origin) catalog.put(server, readRawOffer(offer));
  }

  const whenKnown = (view: View): Promise<void> | undefined => {
    const unknown = [...sources.values()].filter(
      ({ name, state, problem }) =>
        (view ?? name) === name && !catalog.isKnown(name) && isStillComing(state, problem),
    );
    if (unknown.length === 0) return undefined;
    const heard = Promise.allSettled(unknown.map(({ name }) => start(name)));
    return Promise.race([heard, sleep(limits.listWaitMs, undefined, { ref: false })]).then(() => undefined);
  };
  const source = (server: string): RemoteSource | undefined => sources.get(server);
  const calls = createCalls({
    catalog,
    policy: () => policy,
    source,
    whenKnown,
    observers: ports.observers,
    clock,
    tasks: createTaskBook(),
    parking,
    questionTimeoutMs: limits.questionTimeoutMs,
    states: createRequestStates({
      sealer: ports.sealer,
      digest: sha256,
      clock,
      ttlMs: limits.questionTimeoutMs,
    }),
  });
  const listen = createListen({ catalog, notices, source });
  const surface = createToolSurface(catalog, () => ({
    toolSurface: config.toolSurface,
    toolSurfaceTokens: limits.toolSurfaceTokens,
  }));

  return {
    catalog,
    calls,
    limits,
    log,
    credentials,
    slots: createSlots(limits),
    dispatch: createDispatch({
      calls,
      catalog,
      lists: createLists({ catalog, surface, limits }),
      metaTools: createMetaTools(catalog, surface),
      handshake: createHandshake(catalog, surface),
      listen,
      whenKnown,
      tellServers(client, method, params) {
        for (const each of sources.values()) each.tell(client, method, params);
      },
      forgetClient(client) {
        for (const each of sources.values()) each.forget(client);
      },
    }),
    onClient: (client) => notices.add(client, ALL_LISTS),
    whenKnown,
    connectAll() {
      for (const name of sources.keys()) start(name).catch(() => undefined);
    },
    async add(name, server) {
      if (configs.has(name))
        throw new PincerError('SERVER_EXISTS', `A server "${name}" is configured already.`, {
          hint: 'Choose another name.',
        });
      configs.set(name, server);
      const source = createSource(name, server);
      sources.set(name, source);
      configureCatalog();
      try {
        await start(name);
      } catch (error) {
        configs.delete(name);
        sources.delete(name);
        configureCatalog();
        await source.stop();
        throw error;
      }
    },
    statuses: () => [...sources.values()].map((source) => source.status()),
    problemOf: (server) => sources.get(server)?.problem,
    async stop() {
      listen.endAll();
      await Promise.allSettled([...sources.values()].map((source) => source.stop()));
    },
  };
}

const ALL_LISTS: ReadonlySet<ListKind> = new Set(['tools', 'prompts', 'resources']);

/** What makes a server the same server: another command or address under an old name has another catalog. */
const originOf = ({ url, command, args, cwd }: ServerConfig): string =>
  sha256(JSON.stringify({ url, command, args, cwd }));

/** Whether a server that was never heard may be heard soon. */
const isStillComing = (state: ServerState, problem: PincerError | undefined): boolean =>
  state === 'idle' || state === 'connecting' || (state === 'ready' && problem === undefined);
