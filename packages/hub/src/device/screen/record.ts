/** Records a screen with ffmpeg. */
import { recordClip, withOrWithoutSound, type Clip } from '../media/clip.ts';
import { findSound } from '../media/list-devices.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { words } from '../programs/run-program.ts';
import { type CommandContext, CommandFailure } from '../registry/capability.ts';
import { findRegion, NO_DISPLAY, sessionOf, type Region } from './screens.ts';

const RECORDING_NOT_AVAILABLE = 'Screen recording not available';
const RECORDING_FAILED = 'Recording failed';

interface RecordOrder {
  readonly durationMs: number;
  readonly fps: number;
  readonly screenIndex: number;
  readonly includeAudio: boolean;
}

interface RecordParts {
  readonly ports: DevicePorts;
  encoderOf(ffmpeg: string): Promise<readonly string[]>;
  readonly maxBytes: number;
}

export async function recordScreen(
  { durationMs, fps, screenIndex, includeAudio }: RecordOrder,
  { ports, encoderOf, maxBytes }: RecordParts,
  context: Pick<CommandContext, 'signal' | 'progress'>,
): Promise<Clip> {
  const { platform, env, log } = ports;
  const { signal } = context;
  const recorder = findRecorder(ports);
  if (!recorder.isThere) throw notAvailable(recorder.hint);
  const { ffmpeg } = recorder;
  const region = await findRegion(platform, screenIndex, RECORDING_FAILED);
  const video = grabInput({
    platform,
    display: env['DISPLAY'] ?? '',
    screenIndex,
    region,
    pointer: true,
    fps,
  });
  try {
    const encoder = await encoderOf(ffmpeg);
    const sound = includeAudio ? await findSound(ports, 'played', { ffmpeg, signal }) : undefined;
    const order = { video, sound, encoder, durationMs, maxBytes };
    return await withOrWithoutSound(order, log, (each) => recordClip(ports, ffmpeg, each, context));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(RECORDING_FAILED, { hint: 'See the log of the hub.', cause: error });
  }
}

const notAvailable = (hint: string): CommandFailure =>
  new CommandFailure(RECORDING_NOT_AVAILABLE, { hint, code: 'SCREEN_UNAVAILABLE', notExecuted: true });

type Recorder =
  | { readonly isThere: true; readonly ffmpeg: string; readonly device: string }
  | { readonly isThere: false; readonly reason: string; readonly hint: string };

/** ffmpeg's input device per session. */
const DEVICES = { x11: 'x11grab', macos: 'avfoundation', windows: 'gdigrab' } as const;

export function findRecorder(ports: DevicePorts): Recorder {
  const session = sessionOf(ports);
  if (session === 'none') return { isThere: false, reason: 'there is no display', hint: NO_DISPLAY };
  if (session === 'wayland')
    return {
      isThere: false,
      reason: 'ffmpeg cannot record a Wayland session',
      hint: 'Log in to an X11 session to record the screen. screen.snapshot also works on Wayland.',
    };
  const ffmpeg = findProgram('ffmpeg', ports.env, ports.platform);
  if (ffmpeg === undefined)
    return { isThere: false, reason: 'ffmpeg is not installed', hint: 'Install ffmpeg.' };
  return { isThere: true, ffmpeg, device: DEVICES[session] };
}

export interface Grab {
  readonly platform: NodeJS.Platform;
  /** The X11 display. */
  readonly display: string;
  readonly screenIndex: number;
  /** Undefined for the whole display. */
  readonly region: Region | undefined;
  readonly pointer: boolean;
  readonly fps: number;
}

export function grabInput(grab: Grab): readonly string[] {
  if (grab.platform === 'darwin') return screenOfMacos(grab);
  if (grab.platform === 'win32') return desktopOfWindows(grab);
  return displayOfX11(grab);
}

function displayOfX11({ display, region, pointer, fps }: Grab): readonly string[] {
  const options = words(`-f x11grab -draw_mouse ${pointer ? 1 : 0} -framerate ${fps}`);
  if (region === undefined) return [...options, '-i', display];
  return [...options, ...sizeOf(region), '-i', `${display}+${region.x},${region.y}`];
}

const screenOfMacos = ({ screenIndex, pointer, fps }: Grab): readonly string[] => [
  ...words(`-f avfoundation -capture_cursor ${pointer ? 1 : 0} -framerate ${fps}`),
  '-i',
  `Capture screen ${screenIndex}:none`,
];

function desktopOfWindows({ region, pointer, fps }: Grab): readonly string[] {
  const options = words(`-f gdigrab -draw_mouse ${pointer ? 1 : 0} -framerate ${fps}`);
  if (region === undefined) return [...options, '-i', 'desktop'];
  const offset = words(`-offset_x ${region.x} -offset_y ${region.y}`);
  return [...options, ...offset, ...sizeOf(region), '-i', 'desktop'];
}

const sizeOf = ({ width, height }: Region): readonly string[] => ['-video_size', `${width}x${height}`];
