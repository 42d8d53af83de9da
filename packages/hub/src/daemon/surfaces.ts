/** Where a hub is reached: MCP over HTTP and pipes, the control API, health and metrics, all on one local port. */
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { Config } from '../config/schema.ts';
import { LOCAL_CALLER, type Caller } from '../core/caller.ts';
import { createCredentials } from '../core/credentials.ts';
import type { OpenApproval } from '../core/approvals/approvals.ts';
import { PincerError } from '../core/errors.ts';
import type { Clock, Store } from '../core/ports.ts';
import type { Hub } from '../hub/interface.ts';
import { reportSessions } from '../hub/app-report.ts';
import { sha256 } from '../lib/sha256.ts';
import { EXPOSITION_CONTENT_TYPE } from '../observe/exposition.ts';
import { adminTokenPath, mcpTokenPath } from '../owner/state-folder.ts';
import { useTokenFile } from '../owner/token-file.ts';
import { createControlActions } from '../control/actions.ts';
import type { HubStatus, StoreReport } from '../control/contract/status.ts';
import { createControl } from '../control/control.ts';
import type { DescribedDevice } from '../control/device-actions.ts';
import { openCredentialBook } from '../control/credential-book.ts';
import { openLocalListener, type LocalListener } from '../http/local-listener.ts';
import { createMcpHttp, type McpHttpOptions } from '../mcp/http.ts';
import { createSessions } from '../mcp/sessions.ts';
import { createRoutes } from './routes.ts';
import { VERSION } from '../lib/version.ts';
import type { FollowedConfig } from './config-file.ts';
import type { Observation } from './observation.ts';
import { openProxy } from '../apps/listener/proxy.ts';
import { createProxyRunner, type ProxyRunner } from '../apps/listener/proxy-runner.ts';
import { describeProxy } from './proxy-report.ts';
import { openDeviceFront } from './device-front.ts';
import type { NodeDesk } from './node.ts';
import type { SignInDesk } from './sign-in.ts';

export interface SurfacesParts {
  readonly home: string;
  readonly mode: 'foreground' | 'background';
  readonly port: number;
  readonly hub: Hub;
  readonly followed: FollowedConfig;
  readonly signIns: SignInDesk;
  /** This machine as a node of a gateway. */
  readonly node: Pick<NodeDesk, 'state' | 'refresh'> | undefined;
  /** It is a node and nothing else: `/` is not served. */
  readonly isNodeAlone: boolean;
  readonly observation: Observation;
  readonly clock: Clock;
  readonly store: Store;
  /** How the app proxy is to be; undefined: this hub has none. */
  readonly proxy: ProxyPlan | undefined;
  /** Somebody with the admin token wants the daemon to end. */
  stop(): void;
}

export interface ProxyPlan {
  readonly config: Config;
  /** There is nothing else: it opens, or the start fails. */
  readonly isAlone: boolean;
  settingsOf(config: Config): ProxySettings;
}

export interface Surfaces {
  readonly listener: LocalListener;
  readonly proxy: ProxyRunner | undefined;
  /** Whether this machine is served at `/` now: `device.mcpServer` may change. */
  readonly hasDevice: boolean;
  /** Clients on a pipe. */
  readonly attached: number;
}

export async function openSurfaces(parts: SurfacesParts, undo: AsyncDisposableStack): Promise<Surfaces> {
  const { home, mode, port, hub, followed, observation, clock, store } = parts;
  const { metrics, measure } = observation;
  const adminCredentials = createCredentials(sha256);
  undo.defer(useTokenFile(adminTokenPath(home), adminCredentials, 'admin', sha256));
  undo.defer(useTokenFile(mcpTokenPath(home), hub.credentials, LOCAL_CALLER, sha256));

  const { apps } = hub;
  let proxy: ProxyRunner | undefined;
  let attached = 0;
  const onRejected = metrics.rejected;
  const sessions = createSessions(hub.limits, clock.elapsed);
  measure(hub, sessions);
  const isValid: McpHttpOptions['isValid'] = ({ headers }, { id }) =>
    hub.credentials.authenticate(headers.authorization)?.id === id;
  const mcpHttp = undo.adopt(
    createMcpHttp({ ...hub, sessions, elapsed: clock.elapsed, onRejected, isValid }),
    (it) => it.close(),
  );
  undo.defer(hub.credentials.onChange(() => mcpHttp.endRevoked()));
  async function forgetCaller(id: string): Promise<void> {
    sessions.endOf(id);
    hub.forgetCaller(id);
    await parts.signIns.forgetCaller(id);
  }
  const control = createControl(
    createControlActions({
      catalog: hub.catalog,
      book: openCredentialBook({ store, credentials: hub.credentials, clock, digest: sha256 }),
      whenKnown: hub.whenKnown,
      problemOf: hub.problemOf,
      describe: async () => ({
        version: VERSION,
        pid: process.pid,
        mode,
        attached,
        configProblem: followed.problem?.message,
        problems: [...followed.current.problems, ...(proxy?.problem === undefined ? [] : [proxy.problem])],
        ...describeServers(hub),
        store: describeStore(store),
        proxy: apps && proxy?.current && (await describeProxy(proxy.current, apps, hub.catalog)),
      }),
      addServer: (name, server, options) => followed.addServer(name, server, options),
      reload: () => followed.reload(),
      check: (text) => ({ problems: followed.check(text) }),
      disconnect: (name) => hub.disconnect(name),
      refresh: (name) => hub.refresh(name),
      held: hub.trust.held,
      accept: hub.accept,
      approvals: hub.approvals,
      allowAlways: (approval) => allowAlways(hub, approval),
      signIns: parts.signIns,
      forgetCaller,
      appSessions: apps && {
        list: () => reportSessions(apps, clock),
        end: (session) => apps.end(session),
      },
      device: hub.device && describeDevice(hub.device, parts),
      refreshNode: () => parts.node?.refresh(),
      askAhead: hub.askAhead,
      now: () => clock.now(),
      stop: () => parts.stop(),
    }),
  );
  const isServed = (): boolean =>
    followed.current.device.mcpServer && !parts.isNodeAlone && hub.device?.isOffered === true;
  const device = hub.device && openDeviceFront({ hub, sessions, clock, onRejected, isValid }, undo);
  const route = createRoutes({
    catalog: hub.catalog,
    credentials: hub.credentials,
    adminCredentials,
    mcpHttp,
    stdio: hub,
    control,
    device: () => (isServed() ? device : undefined),
    version: VERSION,
    metricsType: EXPOSITION_CONTENT_TYPE,
    renderMetrics: metrics.render,
    onAttached: () => attached++,
    onDetached: () => attached--,
  });
  const listener = undo.adopt(
    await openLocalListener({
      port,
      credentials: hub.credentials,
      route,
      onRejected,
      onRequest: metrics.httpRequest,
    }),
    (it) => it.close(),
  );
  if (apps !== undefined && parts.proxy !== undefined) {
    const plan = parts.proxy;
    const runner = createProxyRunner({
      settingsOf: (config) => plan.settingsOf(config),
      open: (settings, opened) =>
        openProxy(
          {
            apps,
            settings,
            clock,
            // They tell of every server.
            mayMeasure: ({ headers }) => isUnconfined(hub.credentials.authenticate(headers.authorization)),
            renderMetrics: () => ({ type: EXPOSITION_CONTENT_TYPE, text: metrics.render() }),
            onRequest: metrics.httpRequest,
            onRejected,
          },
          opened,
        ),
      retryMs: hub.limits.proxyRetryMs,
      log: hub.log,
    });
    proxy = undo.adopt(runner, (it) => it.close());
    await runner.apply(plan.config);
    if (plan.isAlone) assertOpen(runner, plan.config);
    undo.defer(followed.onApplied((config) => void runner.apply(config)));
  }
  return {
    listener,
    proxy,
    get hasDevice() {
      return device !== undefined && isServed();
    },
    get attached() {
      return attached;
    },
  };
}

/** `pincer proxy` is of no use without it. */
function assertOpen({ current, problem }: ProxyRunner, { problems }: Config): void {
  if (current !== undefined) return;
  const { code, message, hint } = problem ?? problems.find(({ section }) => section === 'proxy') ?? OFF;
  throw new PincerError(code, message, { hint });
}

const OFF = {
  code: 'CONFIG_INVALID',
  message: 'The app proxy is switched off: "proxy.enabled" is false.',
  hint: 'Set it to true, and start this again.',
} as const;

const isUnconfined = (caller: Caller | undefined): boolean =>
  caller !== undefined && Object.keys(caller.scopes).length === 0;

function allowAlways({ device }: Hub, approval: OpenApproval): void {
  if (device === undefined)
    throw new PincerError('ARGUMENT_INVALID', 'Only what this machine runs can be allowed for good.');
  device.allowAlways(approval);
}

const describeDevice = (
  device: NonNullable<Hub['device']>,
  { followed, node }: SurfacesParts,
): DescribedDevice => ({
  get isOffered() {
    return device.isOffered;
  },
  async describe() {
    const { mcpServer, nodeMode } = followed.current.device;
    return { mcpServer, nodeMode, node: node?.state(), capabilities: await device.registry.readiness() };
  },
});

function describeStore(store: Store): StoreReport {
  const doubted = new Set(store.loadPinDoubts().flatMap(({ server }) => server ?? []));
  return { incidents: store.incidents(), doubted: [...doubted] };
}

const describeServers = (hub: Hub): Pick<HubStatus, 'callsInFlight' | 'servers'> => ({
  callsInFlight: hub.callsInFlight,
  servers: hub.statuses().map((status) => ({ ...status, tools: hub.catalog.list(status.name).length })),
});
