/** Tools of apps: their sessions, their bridges, and the pipeline behind the MCP endpoint of a session. */
import type { ProxyApp, ProxySettings } from '../config/proxy-settings.ts';
import { SHARED_APP } from '../core/app-names.ts';
import type { Approvals } from '../core/approvals/approvals.ts';
import { LOCAL_CALLER } from '../core/caller.ts';
import type { Calls } from '../core/call/calls.ts';
import { eventRecord } from '../core/call/record.ts';
import type { Offer } from '../core/catalog/offer.ts';
import { correlationId } from '../lib/correlation-id.ts';
import type { Limits } from '../core/limits.ts';
import type { Policy } from '../core/policy.ts';
import type { AppSessionStore, Clock, Log, Observer, Sealer } from '../core/ports.ts';
import type { Source } from '../core/request.ts';
import { createBridges, type NewAppEvent, type Bridges, type OnAppEvent } from './calls/bridges.ts';
import { createRegistrar, type Registrar } from './registrar.ts';
import { readTools } from './registration/read-registration.ts';
import { createLocalDirectory } from './directory/local-directory.ts';
import type { SessionDirectory } from './directory/session-directory.ts';
import { createBridgeSource } from './source.ts';
import { createAppOffers } from './tools/app-offers.ts';
import { createPreparedTools } from './tools/prepared-tools.ts';
import { createSessionCatalog, createSessionNotices } from './tools/session-catalog.ts';
import type { Dispatch } from '../mcp/dispatch.ts';
import type { OnClient } from '../mcp/legacy-client.ts';
import { createSlots, type Slots } from '../mcp/slots.ts';
import { createPipeline } from '../mcp/pipeline.ts';

/** The apps with a token. The anonymous app needs no setting. */
export type AppSettings = Pick<ProxySettings, 'appToken' | 'apps' | 'sessionTtlMs' | 'toolTimeoutMs'>;

export interface AppsPorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly store: AppSessionStore;
  readonly sealer: Sealer;
  readonly observers: readonly Observer[];
  readonly approvals: Approvals;
  policy(): Policy;
  /** The settings at the start. `configure` applies later ones. */
  readonly settings: AppSettings;
  /** Called when the combined offer of an app's sessions has changed. */
  publish(app: string, offer: Offer): void;
}

export interface Apps {
  /** Apps that callers can be granted, in their order. */
  readonly names: readonly NamedApp[];
  configure(settings: AppSettings): void;
  readonly directory: SessionDirectory;
  readonly registrar: Registrar;
  readonly bridges: Bridges;
  readonly calls: Calls;
  readonly limits: Limits;
  readonly log: Log;
  readonly slots: Slots;
  readonly dispatch: Dispatch;
  readonly onClient: OnClient;
  /** Ends a session on behalf of the local person. False if unknown. */
  end(session: string): Promise<boolean>;
  /** All sessions of an app as one source. */
  sourceOf(app: string): Source;
  stop(): void;
}

export function createApps(ports: AppsPorts): Apps {
  const { clock, log, policy } = ports;
  const limits: Limits = {
    ...ports.limits,
    appSessionTtlMs: ports.settings.sessionTtlMs,
    appCallMs: ports.settings.toolTimeoutMs,
    // A call that is too large for every app need not be read.
    maxMessageBytes: Math.min(ports.limits.maxMessageBytes, ports.limits.maxJoinedBytes),
  };
  let names = namedApps(ports.settings);
  const now = (): number => clock.elapsed();
  const directory = createLocalDirectory({ now, newId: correlationId, limits, store: ports.store });
  const recordEvent = ({ outcome = 'ok', ...event }: NewAppEvent, caller: string): void => {
    const record = eventRecord({ ...event, outcome, at: clock.now(), caller });
    for (const observer of ports.observers) observer.callEnded(record);
  };
  const onEvent: OnAppEvent = (event) => recordEvent(event, event.app);
  const onFailed = (error: unknown): void => log.error('the app proxy failed', { error });
  const bridges = createBridges({
    directory,
    limits,
    now,
    onEvent,
    onFailed,
    changeTools: (lease, tools) => directory.replaceTools(lease, readTools(tools, limits)),
  });
  directory.onChange(({ kind, session: { id, app } }) => {
    if (kind === 'expired') onEvent({ method: 'sessions/expire', app, session: id });
    if (kind === 'tools') onEvent({ method: 'tools/changed', app, session: id });
  });
  const sweeps = setInterval(() => void directory.sweep().catch(onFailed), limits.appSessionSweepMs).unref();
  const prepare = createPreparedTools(limits.maxDescriptionChars);
  const source = createBridgeSource({ directory, bridges, prepare });
  const catalog = createSessionCatalog(directory, prepare);
  const offers = createAppOffers({
    directory,
    limits,
    names: () => names.map(({ name }) => name),
    publish: (app, offer) => ports.publish(app, offer),
    onFailed,
  });
  const pipeline = createPipeline({
    catalog,
    notices: createSessionNotices(directory),
    limits,
    clock,
    sealer: ports.sealer,
    observers: ports.observers,
    policy,
    approvals: ports.approvals,
    source: () => source.ofSessions,
    sources: () => [source.ofSessions],
  });

  return {
    get names() {
      return names;
    },
    configure(settings) {
      names = namedApps(settings);
    },
    directory,
    registrar: createRegistrar({ directory, bridges, limits, onEvent, onFailed }),
    bridges,
    calls: pipeline.calls,
    limits,
    log,
    // All callers share one credential, each with a session of its own.
    slots: createSlots({
      ...limits,
      maxCalls: limits.maxProxyCalls,
      maxCallsPerCredential: limits.maxProxyCalls,
      maxStreamsPerCredential: limits.maxAppSessions,
    }),
    dispatch: pipeline.dispatch,
    onClient: pipeline.onClient,
    async end(session) {
      const app = (await directory.find(session))?.app;
      if (app === undefined || !(await directory.remove(app, session))) return false;
      recordEvent({ method: 'sessions/delete', app, session }, LOCAL_CALLER);
      return true;
    },
    sourceOf: (app) => source.ofApp(app),
    stop() {
      clearInterval(sweeps);
      offers.stop();
      pipeline.stop();
      bridges.stop();
    },
  };
}

/** An app with the members that the core needs of a server. */
export type NamedApp = Pick<ProxyApp, 'name' | 'trust' | 'policy'>;

/** The app of the shared token comes first. The anonymous app is never offered on `/mcp`. */
const namedApps = ({ appToken, apps }: AppSettings): readonly NamedApp[] => [
  ...(appToken === undefined ? [] : [{ name: SHARED_APP, trust: 'pin' as const, policy: undefined }]),
  ...apps,
];
