/** How ffmpeg is told to look through a camera. */
import { words } from '../../media/words.ts';
import type { SnapOrder } from '../camera.ts';

/** Device types as other nodes call them, which are ffmpeg's names, too. */
export function deviceTypeOf(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'avfoundation';
  return platform === 'win32' ? 'dshow' : 'v4l2';
}

export function cameraInput(platform: NodeJS.Platform, id: string): readonly string[] {
  // A Mac's camera refuses the 29.97 that ffmpeg would ask for.
  if (platform === 'darwin') return [...words('-f avfoundation -framerate 30 -i'), `${id}:none`];
  if (platform === 'win32') return [...words('-f dshow -rtbufsize 64M -i'), `video=${id}`];
  return ['-f', 'v4l2', '-i', id];
}

export const snapArgs = (
  platform: NodeJS.Platform,
  id: string,
  { delayMs }: Pick<SnapOrder, 'delayMs'>,
): string[] => [
  ...words('-hide_banner -loglevel error -nostdin'),
  ...cameraInput(platform, id),
  // After the input, -ss lets the camera run: frames before that time are captured and dropped.
  ...words(`-ss ${delayMs / 1_000} -frames:v 1 -c:v ppm -f image2pipe pipe:1`),
];
