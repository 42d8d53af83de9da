import type { ProxyReport } from '../client/app-report.ts';
import type { Catalog } from '../core/catalog/catalog.ts';
import { reportApps } from '../hub/app-report.ts';
import type { Apps } from '../hub/apps.ts';
import type { AppProxy } from './proxy.ts';

/** For the status of the hub. */
export const describeProxy = (
  { address, settings }: Pick<AppProxy, 'address' | 'settings'>,
  apps: Apps,
  catalog: Pick<Catalog, 'list'>,
): ProxyReport => {
  const counted = reportApps(apps);
  const sum = (key: 'sessions' | 'bridges'): number => counted.reduce((all, app) => all + app[key], 0);
  return {
    address,
    sessions: sum('sessions'),
    bridges: sum('bridges'),
    open: [
      ...(settings.takesAnonymous ? (['apps'] as const) : []),
      ...(settings.openClawToken === undefined ? (['openclaw'] as const) : []),
    ],
    apps: counted.map((app) => ({ ...app, tools: catalog.list(app.name).length })),
  };
};
