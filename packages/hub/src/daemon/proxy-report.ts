import type { ProxyReport } from '../control/contract/status.ts';
import type { Catalog } from '../core/catalog/catalog.ts';
import { reportApps } from '../hub/app-report.ts';
import type { Apps } from '../apps/apps.ts';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { Log } from '../core/ports.ts';
import type { AppProxy } from '../apps/listener/proxy.ts';

/** For the status of the hub. */
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
    open: openDoorsOf(settings),
    ...(settings.dotEnv !== undefined && settings.dotEnv.sets.length > 0 && { dotEnv: settings.dotEnv }),
    apps: counted.map((app) => ({ ...app, tools: catalog.list(app.name).length })),
  };
};

/** Which sides of the app proxy need no token. */
export const openDoorsOf = ({ takesAnonymous, openClawToken }: ProxySettings): ProxyReport['open'] => [
  ...(takesAnonymous ? (['apps'] as const) : []),
  ...(openClawToken === undefined ? (['openclaw'] as const) : []),
];

/** Says which variables come out of a `.env`, and which of it are set elsewhere. Never their values. */
export function tellOfDotEnv({ dotEnv }: ProxySettings, log: Pick<Log, 'info'>): void {
  if (dotEnv === undefined) return;
  const { file, sets, ignored } = dotEnv;
  if (sets.length > 0) log.info(`the app proxy takes ${sets.join(', ')} from ${file}`);
  if (ignored.length > 0) log.info(`${file} has ${ignored.join(', ')}, too; what is set elsewhere counts`);
}

/** Logs what is risky about the settings when the first app registers. Until then there is nothing to protect. */
export function warnOnceUsed(
  proxy: { readonly current: Pick<AppProxy, 'settings'> | undefined },
  { directory }: Pick<Apps, 'directory'>,
  log: Pick<Log, 'warn'>,
): () => void {
  const warn = (): void => {
    stop();
    for (const warning of proxy.current?.settings.warnings ?? []) log.warn(warning);
  };
  const stop = directory.onChange(({ kind }) => {
    if (kind === 'created' || kind === 'attached') warn();
  });
  return stop;
}
