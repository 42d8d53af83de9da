/** Reports on apps and their sessions. Reports contain no credentials. */
import type { AppSessionReport } from '../control/contract/machine.ts';
import type { AppStatus } from '../control/contract/status.ts';
import type { Clock } from '../core/ports.ts';
import type { Session } from '../apps/directory/session-directory.ts';
import type { Apps } from '../apps/apps.ts';

type ReportParts = Pick<Apps, 'directory' | 'bridges'>;

/** Sorted by app. Within an app the session with the latest bridge comes first: `/mcp` calls that one. */
export async function reportSessions(
  { directory, bridges }: ReportParts,
  clock: Clock,
): Promise<AppSessionReport[]> {
  const sessions = await directory.list();
  const now = clock.now();
  const elapsed = clock.elapsed();
  const wall = (at: number): number => Math.round(now - (elapsed - at));

  const report = (session: Session): AppSessionReport => {
    const { id, app, deviceId, deviceName, appVersion, chatId, tools, lastUsed } = session;
    const connection = bridges.find(id);
    return {
      id,
      app,
      deviceId,
      deviceName,
      appVersion,
      chatId,
      tools: tools.map(({ name }) => name),
      bridge: connection && {
        connectedAt: wall(connection.openedAt),
        lastHeardAt: wall(connection.heardAt),
        saysHello: connection.isRich,
      },
      lastUsedAt: wall(lastUsed),
      callsInFlight: connection?.unanswered ?? 0,
      callsWaiting: bridges.waiting(id),
    };
  };

  return sessions.toSorted((a, b) => compare(a.app, b.app) || b.attachedAs - a.attachedAs).map(report);
}

/** Configured apps, and apps that have sessions without being configured. */
export async function reportApps({
  directory,
  names,
}: Pick<Apps, 'directory' | 'names'>): Promise<Omit<AppStatus, 'tools'>[]> {
  const sessions = await directory.list();
  const counts = new Map(names.map(({ name }) => [name, { sessions: 0, bridges: 0 }]));
  for (const { app, bridge } of sessions) {
    const own = counts.get(app) ?? { sessions: 0, bridges: 0 };
    counts.set(app, own);
    own.sessions++;
    if (bridge !== undefined) own.bridges++;
  }
  return [...counts].map(([name, own]) => ({ name, ...own }));
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);
