/** createHub: the only place where things are put together. */
import { randomBytes } from 'node:crypto';
import type { Config, ServerConfig } from './config/schema.ts';
import { askAhead, type Foretold } from './core/call/approval-ahead.ts';
import { createApprovals, type Approvals, type OpenApproval } from './core/approvals/approvals.ts';
import { createParking } from './core/bridge/parking.ts';
import { createRequestStates } from './core/bridge/request-state.ts';
import { createCalls, type Calls } from './core/call/calls.ts';
import type { Addressed } from './core/call/route.ts';
import { createCatalog, type Catalog, type View } from './core/catalog/catalog.ts';
import { createCredentials, type Credentials } from './core/credentials.ts';
import { AGENT_SOURCE } from './core/caller.ts';
import type { PincerError } from './core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from './core/limits.ts';
import { createPolicy, isGuarded, type PolicyRules } from './core/policy.ts';
import { listedTo } from './core/listed.ts';
import { createNotices } from './core/notices.ts';
import { createOfferBook } from './core/catalog/offer-book.ts';
import type { Clock, Log, Observer, Sealer, Spawn, Store } from './core/ports.ts';
import type { Source } from './core/request.ts';
import { createTaskBook } from './core/call/task-book.ts';
import { createTrust, type Trust } from './core/trust/trust.ts';
import { findWithdrawn } from './core/call/withdrawn.ts';
import { createApps, type Apps, type AppSettings } from './hub/apps.ts';
import { catalogServers, originsOf, policyRules, trusted, trustedApp } from './hub/configured.ts';
import { createHubMcp } from './hub/mcp.ts';
import { createAgent, hasAgent, type AgentPlace } from './hub/agent.ts';
import { unknownServer, usageOf, type HubServerStatus } from './hub/server-status.ts';
import { sha256 } from './hub/sha256.ts';
import { tellHeld } from './hub/tell-held.ts';
import { createAdmission } from './sources/remote/life/admission.ts';
import type { Difference } from './sources/remote/fleet/fleet-difference.ts';
import { createFleet } from './sources/remote/fleet/fleet.ts';
import type { Grants } from './sources/remote/oauth/grants/grant-store.ts';
import { createRenewGrant } from './sources/remote/oauth/grants/renew-grant.ts';
import { signInHint } from './sources/remote/oauth/grants/sign-in-hint.ts';
import { createTokens } from './sources/remote/oauth/grants/tokens.ts';
import { createGuardedFetch } from './sources/remote/oauth/guard/guarded-fetch.ts';
import { createRemoteSource, type RemoteSource } from './sources/remote/source.ts';
import type { Dispatch } from './surfaces/mcp/dispatch.ts';
import type { OnClient } from './surfaces/mcp/legacy-client.ts';
import { createSlots, type Slots } from './surfaces/mcp/slots.ts';

export interface HubPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  readonly spawn: Spawn;
  readonly sealer: Sealer;
  readonly observers: readonly Observer[];
  /** Of the process that the hub runs in: what servers may inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What sign-ins have given; without it nobody signs in to a server. */
  readonly grants?: Grants;
  /** Where OpenClaw is; without it there is no `order_openclaw`. */
  readonly agent?: AgentPlace | undefined;
  /** What apps there are by a configuration; without it there is no app proxy. */
  readonly appSettings?: ((config: Config) => AppSettings) | undefined;
  /** Tells the person of a call that waits for them, besides the log. */
  notify?(approval: OpenApproval): void;
}

export interface Hub {
  /** The tools of apps, where the proxy for them runs. */
  readonly apps: Apps | undefined;
  readonly catalog: Catalog;
  readonly calls: Calls;
  readonly callsInFlight: number;
  /** Whether something is under way, also what nobody waits for just now. */
  readonly isBusy: boolean;
  readonly limits: Limits;
  readonly log: Log;
  readonly slots: Slots;
  readonly dispatch: Dispatch;
  readonly credentials: Credentials;
  /** Calls that wait for a person. */
  readonly approvals: Approvals;
  /** What will become of a call that a program is about to send; where a person has to be asked, the question is open. */
  askAhead(call: Addressed, maxBytes: number): Foretold;
  /** A legacy client is there, and hears of changes until it has gone. */
  readonly onClient: OnClient;
  /** Connects to the servers that are to run from the start, in the background. */
  connectAll(): void;
  /** Takes over what differs in another configuration; calls under way go on. */
  reconcile(config: Config): Difference;
  /** Connects to a server that is not configured yet, and keeps it when that worked, or when it waits for a sign-in. */
  add(name: string, config: ServerConfig): Promise<void>;
  statuses(): HubServerStatus[];
  /** A server as it is configured; undefined: there is none of that name. */
  configOf(server: string): ServerConfig | undefined;
  /** Told of a server that waits for a sign-in, each time that it begins to. */
  onSignInNeeded(listener: (server: string, reason: PincerError) => void): () => void;
  /** Where the person hosts Pincer's metadata document. */
  clientMetadataUrl(): string | undefined;
  /** Ends the connection to a server, and what it offers, until it is refreshed or the hub starts again. */
  disconnect(server: string): void;
  /** Whoever this was comes no more: what goes on for them without a connection ends. */
  forgetCaller(id: string): void;
  /** Connects where that is not so, and asks for all that the server offers anew. */
  refresh(server: string): Promise<void>;
  /** Tools that wait for a person. */
  readonly trust: Pick<Trust, 'held' | 'isHeld' | 'onHeld'>;
  /** Accepts what is offered now, of one tool or of all that wait; gives back their names. */
  accept(server: string, tool?: string, seen?: ReadonlySet<string>): readonly string[];
  /** Why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
  /** Resolves when every server of the view has been heard or has failed; undefined when that is so already. */
  whenKnown(view: View): Promise<void> | undefined;
  stop(): Promise<void>;
}

export function createHub(config: Config, ports: HubPorts): Hub {
  const { clock, log, store, spawn, env } = ports;
  const limits: Limits = { ...DEFAULT_LIMITS, ...config.limits };
  const catalog = createCatalog(sha256);
  const credentials = createCredentials(sha256);
  const admit = createAdmission(config.maxConcurrentServers);
  const notices = createNotices((hearer, kind) => [current.toolSurface, ...listedTo(catalog, hearer, kind)]);
  const parking = createParking(limits);
  const trust = createTrust({ store, digest: sha256, now: () => clock.now(), limits });
  const offers = createOfferBook({ catalog, trust, store });
  const approvals = createApprovals({
    store,
    clock,
    digest: sha256,
    origin: (server) => origins.get(server),
    newId: () => randomBytes(6).toString('hex'),
    limits,
    notify(approval, isShown) {
      const { id, caller, server, tool } = approval;
      log.info('a call waits for an approval', { id, caller, server, tool });
      if (current.policy.notify && !isShown) ports.notify?.(approval);
    },
  });
  let current = config;
  let rules: PolicyRules = {};
  let policy = createPolicy(rules);
  let origins: ReadonlyMap<string, string> = new Map();
  let hasConnected = false;
  const signInListeners = new Set<(server: string, reason: PincerError) => void>();
  catalog.onChange((kinds) => notices.changed(kinds));
  trust.onHeld(tellHeld(log));

  function createSource(name: string, server: ServerConfig, after: Promise<void> | undefined): RemoteSource {
    const source = createRemoteSource(name, {
      config: server,
      limits,
      clock,
      log,
      spawn,
      env,
      tokens:
        server.url === undefined ? undefined : tokens?.ofServer({ name, url: server.url, auth: server.auth }),
      discoveryMs: config.toolDiscoveryInterval,
      isLazy: () => fleet.running.get(name)?.start === 'lazy',
      isWatchful: () => fleet.running.get(name)?.trust !== 'always',
      admit: async (attempt) => {
        await after;
        return admit(attempt);
      },
      onOffer(offer) {
        // One that has been replaced may still say something.
        if (fleet.source(name) === source) offers.offered(name, offer);
      },
      makeRoom: (caller) => parking.expireOldest(caller, name),
      onSignInNeeded(reason) {
        for (const listener of signInListeners) listener(name, reason);
      },
      onListChanged: (kind) => notices.changed([kind]),
    });
    return source;
  }

  const tokens =
    ports.grants &&
    createTokens({
      grants: ports.grants,
      renew: createRenewGrant({ fetch: createGuardedFetch({ limits }), clock }),
      clock,
      log,
      hint: signInHint,
      onChange() {
        for (const each of fleet.sources()) each.signedIn();
      },
    });
  const agent =
    ports.agent && createAgent({ ...ports.agent, clock, log, limits, env, settings: () => current.agent });
  const apps =
    ports.appSettings &&
    createApps({
      ...ports,
      limits,
      store: store.appSessions,
      approvals,
      policy: () => policy,
      settings: ports.appSettings(config),
      publish: (app, offer) => offers.offered(app, offer),
    });
  const named = (): Apps['names'] => apps?.names ?? [];
  function source(name: string): Source | undefined {
    if (name === AGENT_SOURCE) return agent;
    return named().some((app) => app.name === name) ? apps?.sourceOf(name) : fleet.source(name);
  }
  const fleet = createFleet({
    limits,
    log,
    now: () => clock.now(),
    isKnown: (name) => catalog.isKnown(name),
    createSource,
    onConfigured(running) {
      const offered = ports.agent && hasAgent(current.agent, env, ports.agent) ? agent : undefined;
      origins = originsOf(running, named());
      offers.configure([
        ...[...running].map(([name, server]) => trusted(name, server)),
        ...named().map(trustedApp),
      ]);
      catalog.configure(catalogServers(running, offered !== undefined, named()));
      if (offered !== undefined) catalog.put(AGENT_SOURCE, offered.configure());
      rules = policyRules(current, running, named());
      policy = createPolicy(rules);
    },
  });
  fleet.reconcile(config.servers);
  offers.restore();
  const whenKnown = (view: View): Promise<void> | undefined =>
    fleet.whenKnown((name) => (view ?? name) === name);
  const tasks = createTaskBook();
  const calls = createCalls({
    catalog,
    policy: () => policy,
    approvals,
    source,
    whenKnown,
    withdrawn: (request) => findWithdrawn({ catalog, held: trust.held }, request),
    observers: ports.observers,
    clock,
    tasks,
    parking,
    questionTimeoutMs: limits.questionTimeoutMs,
    states: createRequestStates({
      sealer: ports.sealer,
      digest: sha256,
      clock,
      ttlMs: limits.questionTimeoutMs,
    }),
  });
  const mcp = createHubMcp({
    catalog,
    calls,
    notices,
    limits,
    source,
    sources: () => (agent === undefined ? fleet.sources() : [agent, ...fleet.sources()]),
    isStale: (name) => (fleet.source(name)?.state ?? 'ready') !== 'ready',
    policy: () => policy,
    toolSurface: () => current.toolSurface,
    whenKnown,
  });

  return {
    apps,
    catalog,
    calls,
    get callsInFlight() {
      return calls.inFlight + (apps?.calls.inFlight ?? 0);
    },
    get isBusy() {
      return this.callsInFlight > 0 || (agent?.running ?? 0) > 0;
    },
    limits,
    log,
    credentials,
    approvals,
    askAhead: (call, maxBytes) =>
      askAhead({ catalog, tasks, policy: () => policy, approvals }, call, maxBytes),
    slots: createSlots(limits),
    dispatch: mcp.dispatch,
    onClient: mcp.onClient,
    whenKnown,
    connectAll() {
      hasConnected = true;
      fleet.connectAll(limits.knownStartMs);
    },
    reconcile(next) {
      // Before anything else: what is wrong with them stops all of it.
      const appSettings = ports.appSettings?.(next);
      if (next.toolSurface !== current.toolSurface) notices.changed(['tools']);
      current = next;
      if (appSettings !== undefined) apps?.configure(appSettings);
      const difference = fleet.reconcile(next.servers);
      if (hasConnected) fleet.connectAll();
      return difference;
    },
    add: (name, server) => fleet.add(name, server),
    statuses: () =>
      fleet.statuses().map((status) => ({
        ...status,
        isStale: status.state !== 'ready' && catalog.isKnown(status.name),
        isGuarded: isGuarded(rules, status.name),
        ...usageOf(status.name, fleet.running.get(status.name) ?? current.servers[status.name], limits),
      })),
    configOf: (name) => fleet.running.get(name) ?? current.servers[name],
    onSignInNeeded(listener) {
      signInListeners.add(listener);
      return () => signInListeners.delete(listener);
    },
    clientMetadataUrl: () => current.signIn.clientMetadataUrl,
    disconnect(server) {
      if (!fleet.disconnect(server)) throw unknownServer(server);
    },
    forgetCaller(id) {
      parking.expireAll(id);
      agent?.forgetCaller(id);
    },
    async refresh(server) {
      fleet.reconnect(server);
      const found = fleet.source(server);
      if (found === undefined) throw unknownServer(server);
      await found.refresh();
    },
    trust,
    accept: offers.accept,
    problemOf: (server) => fleet.source(server)?.problem,
    async stop() {
      approvals.stop();
      mcp.stop();
      apps?.stop();
      tokens?.close();
      await Promise.all([agent?.stop(), fleet.stop()]);
    },
  };
}
