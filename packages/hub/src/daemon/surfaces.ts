/**
 * The endpoints of a hub: MCP over HTTP and pipes, the control API, health and metrics on one local port, the app proxy on
 * another. `run/hub.json` tells clients the addresses.
 */
import type { ProxyRunner } from '../apps/listener/proxy-runner.ts';
import { createControlActions } from '../control/actions.ts';
import { CONTROL_PATH, createControl } from '../control/control.ts';
import { openCredentialBook } from '../control/token-actions.ts';
import type { OpenApproval } from '../core/approvals/approvals.ts';
import { LOCAL_CALLER } from '../core/caller.ts';
import { createCredentials } from '../core/credentials.ts';
import { messageOf, PincerError } from '../core/errors.ts';
import type { Clock, Log, Store } from '../core/ports.ts';
import { type LocalListener, openLocalListener } from '../http/local-listener.ts';
import { reportSessions } from '../hub/app-report.ts';
import type { Hub } from '../hub/interface.ts';
import { sha256 } from '../lib/digest.ts';
import { VERSION } from '../lib/version.ts';
import { createMcpHttp, type McpHttpOptions } from '../mcp/http.ts';
import { createSessions } from '../mcp/sessions.ts';
import { EXPOSITION_CONTENT_TYPE } from '../observe/exposition.ts';
import { describeThisHub, type HubFile, removeHubFile, writeHubFile } from '../owner/hub-file.ts';
import { adminTokenPath, mcpTokenPath } from '../owner/state-folder.ts';
import { useTokenFile } from '../owner/tokens.ts';
import type { FollowedConfig } from './config-file.ts';
import { openDeviceFront } from './device.ts';
import type { NodeController } from './node.ts';
import type { Observation } from './observation.ts';
import { assertOpen, createAppProxy, type ProxyPlan } from './proxy.ts';
import { createRoutes } from './routes.ts';
import type { SignInService } from './sign-in.ts';
import { describeDevice, describeProxy, describeServers, describeStore } from './status.ts';

interface SurfacesParts {
  readonly home: string;
  readonly mode: 'foreground' | 'background';
  readonly port: number;
  readonly hub: Hub;
  readonly followed: FollowedConfig;
  readonly signIns: SignInService;
  /** This machine as a node of a gateway. */
  readonly node: Pick<NodeController, 'state' | 'refresh'> | undefined;
  /** The hub only runs as a node: `/` is not served. */
  readonly isNodeAlone: boolean;
  readonly observation: Observation;
  readonly clock: Clock;
  readonly store: Store;
  /** Undefined if this hub has no app proxy. */
  readonly proxy: ProxyPlan | undefined;
  /** Called when a client with the admin token stops the hub. */
  stop(): void;
}

interface Surfaces {
  readonly listener: LocalListener;
  readonly proxy: ProxyRunner | undefined;
  /** Whether this machine is served at `/` now. `device.mcpServer` may change. */
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
    const opening = createAppProxy({ plan, apps, hub, clock, metrics });
    proxy = undo.adopt(opening, (it) => it.close());
    await opening.apply(plan.config);
    if (plan.isAlone) assertOpen(opening, plan.config);
    undo.defer(followed.onApplied((config) => void opening.apply(config)));
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

function allowAlways({ device }: Hub, approval: OpenApproval): void {
  if (device === undefined)
    throw new PincerError('ARGUMENT_INVALID', 'Only commands of this machine can be allowed permanently.');
  device.allowAlways(approval);
}

interface OwnHubFileParts {
  readonly home: string;
  readonly mode: HubFile['mode'];
  readonly surfaces: Surfaces;
  readonly followed: Pick<FollowedConfig, 'onApplied'>;
  readonly log: Log;
}

/** Writes `run/hub.json`, and updates it while the hub runs. */
export function writeOwnHubFile(parts: OwnHubFileParts, undo: AsyncDisposableStack): HubFile {
  const { home, mode, surfaces, followed, log } = parts;
  const first = describeThisHub({ version: VERSION, mode, endpoints: endpointsOf(surfaces) });
  let written = JSON.stringify(first.endpoints);
  writeHubFile(home, first);
  undo.defer(() => removeHubFile(home));
  const update = (): void => {
    const endpoints = endpointsOf(surfaces);
    if (JSON.stringify(endpoints) === written) return;
    written = JSON.stringify(endpoints);
    try {
      writeHubFile(home, { ...first, endpoints });
    } catch (error) {
      log.warn('run/hub.json cannot be written', { error: messageOf(error) });
    }
  };
  undo.defer(followed.onApplied(update));
  undo.defer(surfaces.proxy?.onChange(update) ?? (() => undefined));
  return first;
}

function endpointsOf({ listener, proxy, hasDevice }: Surfaces): HubFile['endpoints'] {
  const origin = `http://127.0.0.1:${listener.port}`;
  return {
    mcp: `${origin}/mcp`,
    ...(hasDevice && { device: `${origin}/` }),
    control: origin + CONTROL_PATH,
    health: `${origin}/health`,
    ...(proxy?.current && { proxy: proxy.current.address }),
  };
}
