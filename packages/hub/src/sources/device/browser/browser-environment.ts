/** Variables that the browser gets: what it needs for a window, and nothing that belongs to the person. */
import type { DevicePorts } from '../ports.ts';

const KEPT: Readonly<Record<'win32' | 'other', readonly string[]>> = {
  // Without these, programs on Windows do not start.
  win32: [
    'PATH',
    'Path',
    'SYSTEMROOT',
    'SystemRoot',
    'SYSTEMDRIVE',
    'TEMP',
    'TMP',
    'LOCALAPPDATA',
    'APPDATA',
    'USERPROFILE',
    'PROGRAMFILES',
    'PROGRAMDATA',
  ],
  other: [
    'PATH',
    'LANG',
    'LC_ALL',
    'TZ',
    'TMPDIR',
    'DISPLAY',
    'XAUTHORITY',
    'WAYLAND_DISPLAY',
    'XDG_RUNTIME_DIR',
    'XDG_SESSION_TYPE',
    'FONTCONFIG_PATH',
    'FONTCONFIG_FILE',
  ],
};

export function browserEnvironment(
  { env, platform }: Pick<DevicePorts, 'env' | 'platform'>,
  profile: string,
): Record<string, string> {
  const kept = Object.fromEntries(
    KEPT[platform === 'win32' ? 'win32' : 'other'].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  // Certificates, caches and settings below the person's home are not for pages of agents. macOS starts nothing without it.
  const home = platform === 'linux' ? profile : env['HOME'];
  return home === undefined ? kept : { ...kept, HOME: home };
}

/** Whether a window can be shown. */
export const hasDisplay = ({ env, platform }: Pick<DevicePorts, 'env' | 'platform'>): boolean =>
  platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
