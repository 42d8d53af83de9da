/** What a program of the desktop is told of the hub's environment: enough to find its display, session and sound, and no secret. */
import type { Environment } from '../../lib/environment.ts';
import { wholeSearchPath, withWholePaths } from '../../lib/search-path.ts';

const NAMES: ReadonlySet<string> = new Set([
  // Who it runs as, where it finds other programs, and in which language it speaks.
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  // The display, the session and its bus, and sound.
  'DISPLAY',
  'XAUTHORITY',
  'WAYLAND_DISPLAY',
  'SWAYSOCK',
  'HYPRLAND_INSTANCE_SIGNATURE',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP',
  'XDG_CONFIG_HOME',
  'XDG_DATA_DIRS',
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'PULSE_SERVER',
  'PIPEWIRE_REMOTE',
  // Where libraries are that are not in their usual places.
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  // Windows does not start most programs without these.
  'SYSTEMROOT',
  'WINDIR',
  'SYSTEMDRIVE',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PSMODULEPATH',
]);

/** Names of variables are compared as Windows does it: there, `Path` is `PATH`. */
export const desktopEnvironment = (
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && NAMES.has(name.toUpperCase())
        ? [[name, wholeValue(name.toUpperCase(), value, platform)]]
        : [],
    ),
  );

/** Lists of folders that programs and libraries are loaded from. */
function wholeValue(name: string, value: string, platform: NodeJS.Platform): string {
  if (name === 'PATH') return wholeSearchPath(value, platform);
  return LIBRARY_PATHS.has(name) ? withWholePaths(value, platform) : value;
}

const LIBRARY_PATHS: ReadonlySet<string> = new Set(['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']);
