/** Which kind of desktop this is. */
import type { DevicePorts } from '../ports.ts';

export type Session = 'x11' | 'wayland' | 'macos' | 'windows' | 'none';

export function sessionOf({ platform, env }: Pick<DevicePorts, 'platform' | 'env'>): Session {
  if (platform === 'darwin') return 'macos';
  if (platform === 'win32') return 'windows';
  // XWayland sets DISPLAY, too, and shows nobody's windows but its own.
  if (env['WAYLAND_DISPLAY'] || (env['XDG_SESSION_TYPE'] === 'wayland' && env['XDG_RUNTIME_DIR']))
    return 'wayland';
  return env['DISPLAY'] ? 'x11' : 'none';
}

export const NO_DISPLAY =
  'There is no display: start the hub in a desktop session, or set DISPLAY (and XAUTHORITY) to one that it may use.';
