/** createHub: the only place where all parts are connected. */
import { randomBytes } from 'node:crypto';
import type { Config } from './config/schema.ts';
import { askAhead } from './core/call/approval-ahead.ts';
import { createApprovals } from './core/approvals/approvals.ts';
import { createParking } from './core/eras/parking.ts';
import { createCatalog, viewName, type View } from './core/catalog/catalog.ts';
import { createCredentials } from './core/credentials.ts';
import { AGENT_SOURCE, DEVICE_SOURCE } from './core/caller.ts';
import type { PincerError } from './core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from './core/limits.ts';
import { createPolicy, isGuarded, type PolicyRules } from './core/policy.ts';
import { listedTo } from './core/listed.ts';
import { createNotices } from './core/notices.ts';
import { createOfferBook } from './core/catalog/offer-book.ts';
import { hideTokens } from './core/redact/hide-tokens.ts';
import type { Source } from './core/request.ts';
import { createTaskBook } from './core/call/task-ids.ts';
import { createTrust } from './core/trust/trust.ts';
import { findWithdrawn } from './core/call/route.ts';
import { createApps, type Apps } from './apps/apps.ts';
import { catalogServers, originsOf, policyRules, logHeld, trusted, trustedApp } from './hub/configured.ts';
import { createDevice, findSwitchedOff } from './device/device.ts';
import type { Hub, HubPorts } from './hub/interface.ts';
import { createPipeline } from './mcp/pipeline.ts';
import { createAgent, hasAgent } from './agent/agent.ts';
import { createServerSources } from './servers/server-sources.ts';
import { problemOf, unknownServer, usageOf } from './servers/server-status.ts';
import { sha256 } from './lib/digest.ts';
import { createHubTokens } from './servers/oauth/grants/tokens.ts';
import { createFleet } from './servers/fleet/fleet.ts';
import { createSlots } from './mcp/slots.ts';

export type { Hub, HubPorts } from './hub/interface.ts';

export function createHub(config: Config, ports: HubPorts): Hub {
  const { clock, log, store, env } = ports;
  const limits: Limits = { ...DEFAULT_LIMITS, ...config.limits };
  const catalog = createCatalog(sha256);
  const credentials = createCredentials(sha256);
  const notices = createNotices((reader, kind) => [current.toolSurface, ...listedTo(catalog, reader, kind)]);
  const parking = createParking(limits);
  store.nameDoubts([
    ...Object.keys(config.servers),
    ...(ports.appSettings?.(config).apps ?? []).map(({ name }) => name),
  ]);
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
      // The approval itself is shown in full. Other people may read the log.
      log.info('a call waits for an approval', { id, caller, server, tool: hideTokens(tool) });
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
  trust.onHeld(logHeld(log));

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
  const offeredDevice = (): typeof device => (device?.isOffered === true ? device : undefined);
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
    if (name === DEVICE_SOURCE) return offeredDevice();
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
      const others = {
        hasAgent: offered !== undefined,
        hasDevice: offeredDevice() !== undefined,
        apps: named(),
      };
      catalog.configure(catalogServers(running, others));
      device?.configure();
      if (offered !== undefined) catalog.put(AGENT_SOURCE, offered.configure());
      rules = policyRules(current, running, named());
      policy = createPolicy(rules);
    },
  });
  fleet.reconcile(config.servers, config.failed);
  offers.restore();
  const whenKnown = (view: View, waitMs?: number): Promise<void> | undefined => {
    const only = viewName(view);
    const servers = fleet.whenKnown((name) => (only ?? name) === name, waitMs);
    const looked = (only ?? DEVICE_SOURCE) === DEVICE_SOURCE ? device?.whenLooked() : undefined;
    return servers === undefined || looked === undefined
      ? (servers ?? looked)
      : Promise.all([servers, looked]).then(() => undefined);
  };
  const tasks = createTaskBook((server) => origins.get(server));
  const pipeline = createPipeline({
    catalog,
    notices,
    limits,
    clock,
    sealer: ports.sealer,
    observers: device === undefined ? ports.observers : [...ports.observers, device.activity],
    policy: () => policy,
    approvals,
    source,
    sources: () => [agent, device, ...fleet.sources()].filter((each) => each !== undefined),
    isStale: (name) => (fleet.source(name)?.state ?? 'ready') !== 'ready',
    whenKnown,
    withdrawn(request) {
      const registry = offeredDevice()?.registry;
      const held = findWithdrawn({ catalog, held: trust.held }, request);
      return held ?? (registry && findSwitchedOff(registry, request));
    },
    toolSurface: () => current.toolSurface,
    tasks,
    parking,
  });
  const { calls } = pipeline;

  return {
    apps,
    device,
    catalog,
    calls,
    get callsInFlight() {
      return calls.inFlight + (apps?.calls.inFlight ?? 0);
    },
    get isBusy() {
      return this.callsInFlight > 0 || (agent?.running ?? 0) > 0 || fleet.isAdding;
    },
    limits,
    log,
    credentials,
    approvals,
    askAhead: (call, maxBytes) =>
      askAhead({ catalog, tasks, source, policy: () => policy, approvals }, call, maxBytes),
    slots: createSlots(limits),
    dispatch: pipeline.dispatch,
    onClient: pipeline.onClient,
    whenKnown,
    connectAll() {
      hasConnected = true;
      fleet.connectAll(limits.knownStartMs);
    },
    reconcile(next) {
      const appSettings = ports.appSettings?.(next);
      if (next.toolSurface !== current.toolSurface) notices.changed(['tools']);
      current = next;
      if (appSettings !== undefined) apps?.configure(appSettings);
      const difference = fleet.reconcile(next.servers, next.failed);
      // A reload without changes must not start servers that were to start later.
      const isOther = difference.added.length > 0 || difference.changed.length > 0;
      if (hasConnected && isOther) fleet.connectAll();
      return difference;
    },
    add: (name, server, options) => fleet.add(name, server, options),
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
      if (!fleet.disconnect(server)) throw fleet.failure(server) ?? unknownServer(server);
    },
    forgetCaller(id) {
      parking.expireAll(id);
      agent?.forgetCaller(id);
    },
    async refresh(server) {
      fleet.reconnect(server);
      const found = fleet.source(server);
      if (found === undefined) throw fleet.failure(server) ?? unknownServer(server);
      await found.refresh();
    },
    trust,
    accept: offers.accept,
    problemOf: (server) => problemOf(fleet.source(server)) ?? fleet.failure(server),
    async stop() {
      approvals.stop();
      pipeline.stop();
      apps?.stop();
      tokens?.close();
      await Promise.all([agent?.stop(), device?.stop(), fleet.stop()]);
    },
  };
}
