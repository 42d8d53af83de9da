/** A clip by ffmpeg: from a screen or a camera into an MP4 file, and from there into memory. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DevicePorts } from '../ports.ts';
import type { CommandContext } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { runMediaProgram } from './run-media-program.ts';
import { words } from './words.ts';
import { inRunFolder } from '../programs/run-folder.ts';

export interface ClipOrder {
  /** Arguments up to and with the input. */
  readonly video: readonly string[];
  /** Undefined: without sound. */
  readonly sound: readonly string[] | undefined;
  readonly encoder: readonly string[];
  readonly durationMs: number;
  readonly maxBytes: number;
}

/** Wider clips are scaled down: what is read on a screen can still be read. */
const MAX_WIDTH = 1920;
/** Beyond twice the duration: for starting, and for writing the end. */
const GRACE_MS = 30_000;

export function clipArgs({ video, sound, encoder, durationMs, maxBytes }: ClipOrder, file: string): string[] {
  const duration = ['-t', `${durationMs / 1_000}`];
  return [
    ...words('-hide_banner -loglevel error -nostdin -y -nostats -progress pipe:2 -stats_period 1'),
    ...duration,
    ...video,
    ...(sound === undefined ? [] : [...duration, ...sound]),
    ...encoder,
    // Both sides even, which the encoders want.
    ...words(`-vf scale=w='min(${MAX_WIDTH},trunc(iw/2)*2)':h=-2`),
    ...words(sound === undefined ? '-an' : '-c:a aac -b:a 96k'),
    // One byte more than fits, so that it is seen to be too much.
    ...words(`-movflags +faststart -fs ${maxBytes + 1} -f mp4`),
    file,
  ];
}

export async function recordClip(
  ports: DevicePorts,
  ffmpeg: string,
  order: ClipOrder,
  { signal, progress }: Pick<CommandContext, 'signal' | 'progress'>,
): Promise<Buffer> {
  const { durationMs, maxBytes } = order;
  return inRunFolder(ports.home, 'media', async (folder) => {
    const file = join(folder, 'clip.mp4');
    const begin = ports.clock.elapsed();
    let told = 0;
    await runMediaProgram(ports, {
      command: ffmpeg,
      args: clipArgs(order, file),
      signal,
      timeoutMs: 2 * durationMs + GRACE_MS,
      onStderr(chunk) {
        // Once in a second. What it has written by then is behind what it has seen.
        if (!chunk.includes('progress=')) return;
        const done = Math.min(durationMs, Math.round(ports.clock.elapsed() - begin));
        if (done <= told) return;
        told = done;
        progress(done, durationMs, `${Math.floor(done / 1_000)} of ${durationMs / 1_000} s recorded`);
      },
    });
    if ((await stat(file)).size > maxBytes) throw tooLarge(maxBytes);
    return readFile(file);
  });
}

export const tooLarge = (maxBytes: number): CommandFailure =>
  new CommandFailure(`PAYLOAD_TOO_LARGE: the clip is larger than ${maxBytes / 1_000_000} MB`, {
    hint: 'Record for a shorter time, or with fewer pictures per second.',
    code: 'PAYLOAD_TOO_LARGE',
  });
