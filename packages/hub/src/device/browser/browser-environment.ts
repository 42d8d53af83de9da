/** Variables that the browser gets: what it needs for a window, and nothing that leads to what is the person's. */
import type { DevicePorts } from '../ports.ts';
import { desktopEnvironment } from '../programs/desktop-environment.ts';

/** Settings of the person, and the session bus, behind which keyrings and portals are. */
const NOT_FOR_PAGES: ReadonlySet<string> = new Set(['DBUS_SESSION_BUS_ADDRESS', 'XDG_CONFIG_HOME']);

export function browserEnvironment(
  { env, platform }: Pick<DevicePorts, 'env' | 'platform'>,
  profile: string,
): Record<string, string> {
  const kept = Object.fromEntries(
    Object.entries(desktopEnvironment(env)).filter(([name]) => !NOT_FOR_PAGES.has(name)),
  );
  // Certificates, caches and settings below the person's home are not for pages of agents. Elsewhere, programs need theirs.
  return platform === 'linux' ? { ...kept, HOME: profile } : kept;
}

/** Whether a window can be shown. */
export const hasDisplay = ({ env, platform }: Pick<DevicePorts, 'env' | 'platform'>): boolean =>
  platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
