/** createHub: the only place where things are put together. */
import { randomBytes } from 'node:crypto';
import type { Config } from './config/schema.ts';
import { askAhead } from './core/call/approval-ahead.ts';
import { createApprovals } from './core/approvals/approvals.ts';
import { createParking } from './core/bridge/parking.ts';
import { createCatalog, type View } from './core/catalog/catalog.ts';
import { createCredentials } from './core/credentials.ts';
import { AGENT_SOURCE, DEVICE_SOURCE } from './core/caller.ts';
import type { PincerError } from './core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from './core/limits.ts';
import { createPolicy, isGuarded, type PolicyRules } from './core/policy.ts';
import { listedTo } from './core/listed.ts';
import { createNotices } from './core/notices.ts';
import { createOfferBook } from './core/catalog/offer-book.ts';
import type { Source } from './core/request.ts';
import { createTaskBook } from './core/call/task-book.ts';
import { createTrust } from './core/trust/trust.ts';
import { findWithdrawn } from './core/call/withdrawn.ts';
import { createApps, type Apps } from './hub/apps.ts';
import { catalogServers, originsOf, policyRules, trusted, trustedApp } from './hub/configured.ts';
import { createDevice, findSwitchedOff } from './hub/device.ts';
import type { Hub, HubPorts } from './hub/interface.ts';
import { createHubCalls } from './hub/calls.ts';
import { createHubMcp } from './hub/mcp.ts';
import { createAgent, hasAgent } from './hub/agent.ts';
import { createServerSources } from './hub/server-sources.ts';
import { unknownServer, usageOf } from './hub/server-status.ts';
import { sha256 } from './hub/sha256.ts';
import { createHubTokens } from './hub/tokens.ts';
import { tellHeld } from './hub/tell-held.ts';
import { createFleet } from './sources/remote/fleet/fleet.ts';
import { createSlots } from './surfaces/mcp/slots.ts';

export type { Hub, HubPorts } from './hub/interface.ts';

export function createHub(config: Config, ports: HubPorts): Hub {
  const { clock, log, store, env } = ports;
  const limits: Limits = { ...DEFAULT_LIMITS, ...config.limits };
  const catalog = createCatalog(sha256);
  const credentials = createCredentials(sha256);
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

  const tokens =
    ports.grants &&
    createHubTokens({
      grants: ports.grants,
      limits,
      clock,
      log,
      onChange() {
        for (const each of fleet.sources()) each.signedIn();
      },
    });
  const createSource = createServerSources({
    ...ports,
    config,
    limits,
    tokens,
    fleet: () => fleet,
    offers,
    parking,
    notices,
    onSignInNeeded(server, reason) {
      for (const listener of signInListeners) listener(server, reason);
    },
  });
  const agent =
    ports.agent && createAgent({ ...ports.agent, clock, log, limits, env, settings: () => current.agent });
  const offeredAgent = (): typeof agent =>
    ports.agent && hasAgent(current.agent, env, ports.agent) ? agent : undefined;
  const device =
    ports.device &&
    createDevice({
      ...ports.device,
      clock,
      log,
      env,
      limits,
      config: () => current,
      line: () => offeredAgent()?.line,
      onOffer: (offer) => void catalog.put(DEVICE_SOURCE, offer),
    });
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
    if (name === DEVICE_SOURCE) return device;
    return named().some((app) => app.name === name) ? apps?.sourceOf(name) : fleet.source(name);
  }
  const fleet = createFleet({
    limits,
    log,
    now: () => clock.now(),
    isKnown: (name) => catalog.isKnown(name),
    createSource,
    onConfigured(running) {
      const offered = offeredAgent();
      origins = originsOf(running, named());
      offers.configure([
        ...[...running].map(([name, server]) => trusted(name, server)),
        ...named().map(trustedApp),
      ]);
      const others = { hasAgent: offered !== undefined, hasDevice: device !== undefined, apps: named() };
      catalog.configure(catalogServers(running, others));
      device?.configure();
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
  const calls = createHubCalls({
    limits,
    sealer: ports.sealer,
    catalog,
    policy: () => policy,
    approvals,
    source,
    whenKnown,
    withdrawn: (request) =>
      findWithdrawn({ catalog, held: trust.held }, request) ??
      (device && findSwitchedOff(device.registry, request)),
    observers: device === undefined ? ports.observers : [...ports.observers, device.activity],
    clock,
    tasks,
    parking,
  });
  const mcp = createHubMcp({
    catalog,
    calls,
    notices,
    limits,
    source,
    sources: () => [agent, device, ...fleet.sources()].filter((each) => each !== undefined),
    isStale: (name) => (fleet.source(name)?.state ?? 'ready') !== 'ready',
    policy: () => policy,
    toolSurface: () => current.toolSurface,
    whenKnown,
  });

  return {
    apps,
    device,
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
      askAhead({ catalog, tasks, source, policy: () => policy, approvals }, call, maxBytes),
    slots: createSlots(limits),
    dispatch: mcp.dispatch,
    onClient: mcp.onClient,
    whenKnown,
    connectAll() {
      hasConnected = true;
      fleet.connectAll(limits.knownStartMs);
    },
    reconcile(next) {
      // First: where they are not valid this throws, and nothing has changed.
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
      await Promise.all([agent?.stop(), device?.stop(), fleet.stop()]);
    },
  };
}
