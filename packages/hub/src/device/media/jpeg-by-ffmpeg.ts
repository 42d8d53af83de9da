/** Writes JPEG by ffmpeg where sharp is not installed. */
import { findProgram } from '../programs/find-program.ts';
import type { DevicePorts } from '../ports.ts';
import type { JpegWriter } from './encode.ts';
import type { Pixels } from './pixels.ts';
import { runMediaProgram } from './run-media-program.ts';
import { words } from './words.ts';

export const jpegByFfmpeg =
  (ports: DevicePorts): NonNullable<JpegWriter> =>
  async (pixels, quality) => {
    const command = findProgram('ffmpeg', ports.env, ports.platform);
    if (command === undefined) return undefined;
    const { signal } = new AbortController();
    const args = jpegArgs(pixels, quality);
    return (await runMediaProgram(ports, { command, args, input: pixels.data, signal })).stdout;
  };

export const jpegArgs = ({ width, height, channels }: Omit<Pixels, 'data'>, quality: number): string[] => [
  ...words(`-hide_banner -loglevel error -f rawvideo -pix_fmt ${channels === 3 ? 'rgb24' : 'rgba'}`),
  ...words(`-video_size ${width}x${height} -i pipe:0 -frames:v 1 -pix_fmt yuvj420p`),
  ...words(`-c:v mjpeg -q:v ${quantizerOf(quality)} -f image2pipe pipe:1`),
];

/** ffmpeg counts from 2, the best, to 31. */
export const quantizerOf = (quality: number): number => Math.round(2 + ((100 - quality) * 29) / 99);
