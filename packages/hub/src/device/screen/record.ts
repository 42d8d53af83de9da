/** A recording of one screen, by ffmpeg. */
import { recordClip } from '../media/clip.ts';
import { withOrWithoutSound, type Clip } from '../media/with-or-without-sound.ts';
import { findSound } from '../media/sound.ts';
import type { DevicePorts } from '../ports.ts';
import type { CommandContext } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { grabInput } from './backends/grab-input.ts';
import { findRegion } from './find-region.ts';
import { findRecorder } from './recorder.ts';
import { RECORDING_FAILED, RECORDING_NOT_AVAILABLE } from './texts.ts';

export interface RecordOrder {
  readonly durationMs: number;
  readonly fps: number;
  readonly screenIndex: number;
  readonly includeAudio: boolean;
}

export interface RecordParts {
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
    throw new CommandFailure(RECORDING_FAILED, { hint: 'The log of the hub says why.', cause: error });
  }
}

const notAvailable = (hint: string): CommandFailure =>
  new CommandFailure(RECORDING_NOT_AVAILABLE, { hint, code: 'SCREEN_UNAVAILABLE', notExecuted: true });
