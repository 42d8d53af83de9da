/** What the control API reports about the running hub, its files, the app proxy and this machine. */
import type { Apps } from '../apps/apps.ts';
import type { AppProxy } from '../apps/listener/proxy.ts';
import type { HubStatus, ProxyReport, StoreReport } from '../control/contract/status.ts';
import type { DescribedDevice } from '../control/machine-actions.ts';
import type { Catalog } from '../core/catalog/catalog.ts';
import type { Store } from '../core/ports.ts';
import { reportApps } from '../hub/app-report.ts';
import type { Hub } from '../hub/interface.ts';
import type { FollowedConfig } from './config-file.ts';
import type { NodeController } from './node.ts';
import { tokenlessSidesOf } from './proxy.ts';

export const describeProxy = async (
  { address, settings }: Pick<AppProxy, 'address' | 'settings'>,
  apps: Apps,
  catalog: Pick<Catalog, 'list'>,
): Promise<ProxyReport> => {
  const counted = await reportApps(apps);
  const sum = (key: 'sessions' | 'bridges'): number => counted.reduce((all, app) => all + app[key], 0);
  return {
    address,
    sessions: sum('sessions'),
    bridges: sum('bridges'),
    open: tokenlessSidesOf(settings),
    ...(settings.dotEnv !== undefined && settings.dotEnv.sets.length > 0 && { dotEnv: settings.dotEnv }),
    apps: counted.map((app) => ({ ...app, tools: catalog.list(app.name).length })),
  };
};

interface DeviceContext {
  readonly followed: Pick<FollowedConfig, 'current'>;
  readonly node: Pick<NodeController, 'state'> | undefined;
}

export const describeDevice = (
  device: NonNullable<Hub['device']>,
  { followed, node }: DeviceContext,
): DescribedDevice => ({
  get isOffered() {
    return device.isOffered;
  },
  async describe() {
    const { mcpServer, nodeMode } = followed.current.device;
    return { mcpServer, nodeMode, node: node?.state(), capabilities: await device.registry.readiness() };
  },
});

export function describeStore(store: Store): StoreReport {
  const doubted = new Set(store.loadPinDoubts().flatMap(({ server }) => server ?? []));
  return { incidents: store.incidents(), doubted: [...doubted] };
}

export const describeServers = (hub: Hub): Pick<HubStatus, 'callsInFlight' | 'servers'> => ({
  callsInFlight: hub.callsInFlight,
  servers: hub.statuses().map((status) => ({ ...status, tools: hub.catalog.list(status.name).length })),
});
