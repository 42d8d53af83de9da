/** How ffmpeg is told to look at a screen. */
import { words } from '../../media/words.ts';
import type { Region } from '../screens.ts';

export interface Grab {
  readonly platform: NodeJS.Platform;
  /** Of X11. */
  readonly display: string;
  readonly screenIndex: number;
  /** Undefined: all of the display. */
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
