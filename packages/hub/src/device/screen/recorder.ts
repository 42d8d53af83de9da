/** Who records screens here. */
import type { DevicePorts } from '../ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { NO_DISPLAY, sessionOf } from './session.ts';

export type Recorder =
  | { readonly isThere: true; readonly ffmpeg: string; readonly device: string }
  | { readonly isThere: false; readonly reason: string; readonly hint: string };

/** What ffmpeg calls the screens of a session. */
const DEVICES = { x11: 'x11grab', macos: 'avfoundation', windows: 'gdigrab' } as const;

export function findRecorder(ports: DevicePorts): Recorder {
  const session = sessionOf(ports);
  if (session === 'none') return { isThere: false, reason: 'there is no display', hint: NO_DISPLAY };
  if (session === 'wayland')
    return {
      isThere: false,
      reason: 'a Wayland session does not let ffmpeg record it',
      hint: 'Log in to an X11 session to record the screen; screen.snapshot works on Wayland, too.',
    };
  const ffmpeg = findProgram('ffmpeg', ports.env, ports.platform);
  if (ffmpeg === undefined)
    return { isThere: false, reason: 'ffmpeg is not installed', hint: 'Install ffmpeg.' };
  return { isThere: true, ffmpeg, device: DEVICES[session] };
}
