/** Records a clip with ffmpeg, from a screen or a camera, with sound if there is any. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../core/ports.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { inRunFolder } from '../programs/run-folder.ts';
import { runMediaProgram, words, ProgramFailure } from '../programs/run-program.ts';
import {
  type Base64,
  type CommandContext,
  type MediaItem,
  type Payload,
  CommandFailure,
} from '../registry/capability.ts';
import { mimeTypeOf } from './picture.ts';

interface ClipOrder {
  /** Arguments of the video input. */
  readonly video: readonly string[];
  /** Arguments of the sound input. Undefined: without sound. */
  readonly sound: readonly string[] | undefined;
  readonly encoder: readonly string[];
  readonly durationMs: number;
  readonly maxBytes: number;
}

/** Wider clips are scaled down. Text on a screen stays readable. */
const MAX_WIDTH = 1920;
/** Added to twice the duration, for starting and finishing. */
const GRACE_MS = 30_000;

export function clipArgs({ video, sound, encoder, durationMs, maxBytes }: ClipOrder, file: string): string[] {
  const duration = ['-t', `${durationMs / 1_000}`];
  return [
    ...words('-hide_banner -loglevel error -nostdin -y -nostats -progress pipe:2 -stats_period 1'),
    ...duration,
    ...video,
    ...(sound === undefined ? [] : [...duration, ...sound]),
    ...encoder,
    // Encoders need even sides.
    ...words(`-vf scale=w='min(${MAX_WIDTH},trunc(iw/2)*2)':h=-2`),
    ...words(sound === undefined ? '-an' : '-c:a aac -b:a 96k'),
    // One byte more than the limit, so that a clip that is too large can be detected.
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
    let reported = 0;
    await runMediaProgram(ports, {
      command: ffmpeg,
      args: clipArgs(order, file),
      signal,
      timeoutMs: 2 * durationMs + GRACE_MS,
      onStderr(chunk) {
        // Once per second. Uses the clock: the output of ffmpeg lags behind.
        if (!chunk.includes('progress=')) return;
        const done = Math.min(durationMs, Math.round(ports.clock.elapsed() - begin));
        if (done <= reported) return;
        reported = done;
        progress(done, durationMs, `${Math.floor(done / 1_000)} of ${durationMs / 1_000} s recorded`);
      },
    });
    if ((await stat(file)).size > maxBytes) throw tooLarge(maxBytes);
    return readFile(file);
  });
}

export const tooLarge = (maxBytes: number): CommandFailure =>
  new CommandFailure(`PAYLOAD_TOO_LARGE: the clip is larger than ${maxBytes / 1_000_000} MB`, {
    hint: 'Record a shorter clip, or use a lower fps.',
    code: 'PAYLOAD_TOO_LARGE',
  });

export interface Clip {
  readonly bytes: Buffer;
  readonly hasAudio: boolean;
}

/** Records with sound, and retries without if the program fails. */
export async function withOrWithoutSound(
  order: ClipOrder,
  log: Log,
  record: (order: ClipOrder) => Promise<Buffer>,
): Promise<Clip> {
  if (order.sound !== undefined) {
    try {
      return { bytes: await record(order), hasAudio: true };
    } catch (error) {
      // After a timeout or a cancellation, a second attempt would fail, too.
      if (!(error instanceof ProgramFailure) || error.end.kind !== 'exited') throw error;
      log.warn('recording with sound failed; retrying without sound', { error });
    }
  }
  return { bytes: await record({ ...order, sound: undefined }), hasAudio: false };
}

/** In order of preference. Builds of ffmpeg have different encoders. */
const ENCODERS: ReadonlyMap<string, string> = new Map([
  ['libx264', '-preset veryfast -crf 26'],
  ['h264_videotoolbox', '-b:v 4M'],
  ['h264_mf', '-b:v 4M'],
  ['libopenh264', '-b:v 4M'],
  ['mpeg4', '-q:v 5'],
]);

/** `listed`: output of `ffmpeg -encoders`. */
export function chooseEncoder(listed: string): readonly string[] {
  const names = new Set(listed.split('\n').map((line) => line.trim().split(/\s+/, 2)[1]));
  const [name, options] = [...ENCODERS].find(([each]) => names.has(each)) ?? ['mpeg4', '-q:v 5'];
  return words(`-c:v ${name} ${options} -pix_fmt yuv420p`);
}

/** Caches the encoder of each ffmpeg. */
export function createEncoders(ports: DevicePorts): (ffmpeg: string) => Promise<readonly string[]> {
  const known = new Map<string, Promise<readonly string[]>>();
  return (ffmpeg) => {
    const asked = known.get(ffmpeg) ?? ask(ports, ffmpeg);
    known.set(ffmpeg, asked);
    asked.catch(() => known.delete(ffmpeg));
    return asked;
  };
}

async function ask(ports: DevicePorts, command: string): Promise<readonly string[]> {
  const args = words('-hide_banner -loglevel error -encoders');
  // Callers share the answer, so none of them can abort the question.
  const { stdout } = await runMediaProgram(ports, { command, args, signal: new AbortController().signal });
  return chooseEncoder(stdout.toString('utf8'));
}

export function pictureItem(payload: Payload): readonly MediaItem[] {
  const { base64, format } = payload as { base64: Base64; format: string };
  return [{ type: 'image', data: base64, mimeType: mimeTypeOf(format === 'png' ? 'png' : 'jpeg') }];
}

export function clipItem(payload: Payload): readonly MediaItem[] {
  const { base64, format } = payload as { base64: Base64; format: 'mp4' | 'webm' };
  return [{ type: 'video', data: base64, mimeType: `video/${format}` }];
}
