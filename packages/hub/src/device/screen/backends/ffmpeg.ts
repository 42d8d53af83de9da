/** Pictures of screens by ffmpeg, which starts anew for each one and draws the pointer. */
import { encodePixels, type JpegWriter } from '../../media/encode.ts';
import { readPpm } from '../../media/ppm.ts';
import { runMediaProgram } from '../../media/run-media-program.ts';
import { words } from '../../media/words.ts';
import type { DevicePorts } from '../../ports.ts';
import { findProgram } from '../../programs/find-program.ts';
import { findRegion } from '../find-region.ts';
import { CAPTURE_FAILED } from '../texts.ts';
import type { SnapshotBackend } from './backend.ts';
import { grabInput, type Grab } from './grab-input.ts';

/** It waits for the beginning of a frame: the more there are in a second, the shorter. */
const FPS = 60;

export const snapshotArgs = (grab: Omit<Grab, 'fps'>): string[] => [
  ...words('-hide_banner -loglevel error -nostdin -probesize 32 -analyzeduration 0'),
  ...grabInput({ ...grab, fps: FPS }),
  ...words('-frames:v 1 -c:v ppm -f image2pipe pipe:1'),
];

export function createFfmpegBackend(ports: DevicePorts, writeJpeg: JpegWriter): SnapshotBackend {
  const { platform, env } = ports;
  const find = (): string | undefined => findProgram('ffmpeg', env, platform);
  return {
    name: 'ffmpeg',
    drawsPointer: true,
    async missing() {
      return find() === undefined ? 'ffmpeg is not installed' : undefined;
    },
    async capture(wish, signal) {
      const { screenIndex, pointer } = wish;
      const region = await findRegion(platform, screenIndex, CAPTURE_FAILED);
      const args = snapshotArgs({ platform, display: env['DISPLAY'] ?? '', screenIndex, region, pointer });
      const { stdout } = await runMediaProgram(ports, { command: find()!, args, signal });
      const pixels = readPpm(stdout);
      if (pixels === undefined) throw new Error(`ffmpeg wrote ${stdout.length} bytes that are no picture`);
      return encodePixels(pixels, wish, { writeJpeg });
    },
  };
}
