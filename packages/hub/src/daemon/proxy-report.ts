import type { ProxyReport } from '../client/app-report.ts';
import type { Catalog } from '../core/catalog/catalog.ts';
import { reportApps } from '../hub/app-report.ts';
import type { Apps } from '../hub/apps.ts';
import type { Proxy } from './proxy.ts';

/** For the status of the hub. */
export const describeProxy = (
  { address, settings }: Pick<Proxy, 'address' | 'settings'>,
  apps: Apps,
  catalog: Pick<Catalog, 'list'>,
): ProxyReport => ({
  address,
  sessions: apps.book.size,
  bridges: apps.links.size,
  open: [
    ...(settings.takesAnonymous ? (['apps'] as const) : []),
    ...(settings.openClawToken === undefined ? (['openclaw'] as const) : []),
  ],
  apps: reportApps(apps).map((app) => ({ ...app, tools: catalog.list(app.name).length })),
});
