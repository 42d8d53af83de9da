/** `screen.*`: pictures and recordings of the screens. */
import { z } from 'zod';
import { oneAtATime, orAborted, orTooLate } from '../../lib/time.ts';
import { createEncoders, clipItem, pictureItem } from '../media/clip.ts';
import { mimeTypeOf, type Picture, pictureFormat } from '../media/picture.ts';
import type { DevicePorts } from '../registry/ports.ts';
import {
  Base64,
  DataUri,
  defineCapability,
  type Capability,
  type Readiness,
  cancelled,
  CommandFailure,
} from '../registry/capability.ts';
import { CAPTURE_FAILED, snapshotBackends, type SnapshotBackends, type SnapshotOptions } from './backends.ts';
import { recordScreen, findRecorder } from './record.ts';
import { NO_DISPLAY } from './screens.ts';
import { clamped, clampedInt, flag, text } from '../registry/arguments.ts';
import type { Limits } from '../../core/limits.ts';

const NOT_AVAILABLE = 'Screen capture not available';
const UNSUPPORTED_FORMAT = 'Unsupported screen snapshot format. Supported formats: png, jpeg.';
const UNSUPPORTED_RECORDING = 'Unsupported screen recording format. Only mp4 is supported.';

export function createScreenCapability(
  ports: DevicePorts,
  { limits }: { readonly limits: Pick<Limits, 'maxClipBytes'> },
): Capability {
  // Concurrent captures are not faster, and would take threads from other work.
  const inTurn = oneAtATime();
  const encoderOf = createEncoders(ports);
  return defineCapability({
    category: 'screen',
    commands: {
      'screen.snapshot': {
        description:
          'Takes a picture of one screen of this machine. Args: format (png or jpeg, default png), maxWidth (default 1920), quality (1-100, of jpeg, default 80), screenIndex (default 0), includePointer. Returns { format, width, height, base64, image (a data: URI), hasPointer }.',
        input: SNAPSHOT_INPUT,
        output: z.object({
          format: z.enum(['png', 'jpeg']),
          width: z.int().describe('Pixels.'),
          height: z.int().describe('Pixels.'),
          hasPointer: z.boolean().describe('Whether the picture shows the mouse pointer.'),
          base64: z
            .string()
            .optional()
            .describe('The picture. Clients that run a model get it as image content instead.'),
          image: z.string().optional().describe('The same as a data: URI.'),
        }),
        example: { format: 'jpeg', maxWidth: 1280 },
        annotations: { title: 'Take a screenshot', readOnlyHint: true, openWorldHint: false },
        bulky: ['base64', 'image'],
        media: pictureItem,
        async run({ format: name, maxWidth, quality, includePointer, ...which }, { signal }) {
          const format = pictureFormat(name);
          if (format === undefined) throw new CommandFailure(UNSUPPORTED_FORMAT, { notExecuted: true });
          const order = { format, maxWidth, quality, screenIndex: screenOf(which), includePointer };
          const backends = snapshotBackends(ports);
          const { bytes, ...made } = await inTurn(
            () => takeSnapshot(order, backends, { log: ports.log, signal }),
            { signal, unwanted: () => cancelled({ notExecuted: true }) },
          );
          const base64 = new Base64(bytes);
          return { ...made, base64, image: new DataUri(mimeTypeOf(format), base64) };
        },
      },
      'screen.record': {
        description:
          'Records one screen of this machine as a clip. Args: durationMs (default 10000, at most 300000), fps (default 10), screenIndex (default 0), includeAudio (default false). Returns { format: "mp4", base64, durationMs, fps, screenIndex, hasAudio }.',
        input: RECORD_INPUT,
        output: z.object({
          format: z.literal('mp4'),
          durationMs: z.int().describe('As requested, within the limits.'),
          fps: z.number().describe('Pictures per second.'),
          screenIndex: z.int().describe('The recorded screen.'),
          hasAudio: z.boolean().describe('Whether the clip has sound.'),
          base64: z
            .string()
            .optional()
            .describe('The clip. Clients that run a model get it as an embedded resource instead.'),
        }),
        example: { durationMs: 3_000, fps: 10 },
        annotations: { title: 'Record the screen', readOnlyHint: true, openWorldHint: false },
        bulky: ['base64'],
        media: clipItem,
        async run({ format, durationMs, fps, includeAudio, ...which }, context) {
          if (format.trim().toLowerCase() !== 'mp4')
            throw new CommandFailure(UNSUPPORTED_RECORDING, { notExecuted: true });
          const screenIndex = screenOf(which);
          const order = { durationMs, fps, screenIndex, includeAudio };
          const { bytes, hasAudio } = await recordScreen(
            order,
            { ports, encoderOf, maxBytes: limits.maxClipBytes },
            context,
          );
          return { format: 'mp4', base64: new Base64(bytes), durationMs, fps, screenIndex, hasAudio };
        },
      },
    },
    readiness: async () => [await snapshotReadiness(ports), recordReadiness(ports)],
  });
}

/** The backend of the screen commands, or what is missing. */
async function snapshotReadiness(ports: DevicePorts): Promise<Readiness> {
  const commands = ['screen.snapshot'];
  const { all, hint } = snapshotBackends(ports);
  const reasons: string[] = [];
  const there: string[] = [];
  for (const backend of all) {
    const missing = await backend.missing();
    if (missing === undefined) there.push(backend.name);
    else reasons.push(missing);
  }
  if (there.length > 0) return { commands, available: true, backend: there.join(', then ') };
  const reason = hint === NO_DISPLAY ? 'there is no display' : reasons.join('; ');
  return { commands, available: false, reason, hint };
}

function recordReadiness(ports: DevicePorts): Readiness {
  const commands = ['screen.record'];
  const recorder = findRecorder(ports);
  if (recorder.isThere) return { commands, available: true, backend: `ffmpeg (${recorder.device})` };
  return { commands, available: false, reason: recorder.reason, hint: recorder.hint };
}

const MAX_SCREEN = 32;

// No default: it would take precedence over the other name.
const screen = (about: string) =>
  z.int().optional().catch(undefined).meta({ minimum: 0, maximum: MAX_SCREEN }).describe(about);

/** Arguments of the screen commands. */
export const SNAPSHOT_INPUT = z.object({
  format: text('png', 'png or jpeg (or jpg).', ['png', 'jpeg', 'jpg']),
  maxWidth: clampedInt(16, 7680, 1920, 'Width in pixels above which the picture is scaled down.'),
  quality: clampedInt(1, 100, 80, 'Quality of a JPEG.'),
  screenIndex: screen('Number of the screen; 0, the main screen, if absent.'),
  monitor: screen('Another name of screenIndex.'),
  includePointer: z
    .boolean()
    .optional()
    .catch(undefined)
    .describe(
      'true: with the mouse pointer, even if a slower program must draw it. false: without. If absent, the fastest program decides; see hasPointer of the result.',
    ),
});

export const RECORD_INPUT = z.object({
  durationMs: clampedInt(100, 300_000, 10_000, 'Milliseconds to record.'),
  fps: clamped(1, 60, 10, 'Pictures per second.'),
  screenIndex: screen('Number of the screen; 0, the main screen, if absent.'),
  monitor: screen('Another name of screenIndex.'),
  includeAudio: flag(false, 'Also records sound if this machine allows it.'),
  format: text('mp4', 'Only mp4.', ['mp4']),
});

export const screenOf = ({
  screenIndex,
  monitor,
}: {
  readonly screenIndex?: number | undefined;
  readonly monitor?: number | undefined;
}): number => Math.min(MAX_SCREEN, Math.max(0, screenIndex ?? monitor ?? 0));

/** `includePointer` undefined: drawn if the fastest backend draws it. */
interface SnapshotOrder extends Omit<SnapshotOptions, 'pointer'> {
  readonly includePointer: boolean | undefined;
}

interface Snapshot extends Picture {
  readonly hasPointer: boolean;
}

/** Long enough for a desktop portal that asks the person first. */
const CAPTURE_TIMEOUT_MS = 30_000;

/** Takes a picture with the first backend that can. */
export async function takeSnapshot(
  { includePointer, ...order }: SnapshotOrder,
  { all, hint }: SnapshotBackends,
  { log, signal }: Pick<DevicePorts, 'log'> & { readonly signal: AbortSignal },
): Promise<Snapshot> {
  const options = { ...order, pointer: includePointer ?? true };
  // If the pointer is requested, prefers backends that draw it. Otherwise uses the fastest.
  const backends = includePointer === true ? all.toSorted((a, b) => rank(a) - rank(b)) : all;
  let cause: unknown;
  for (const backend of backends) {
    if ((await backend.missing()) !== undefined) continue;
    try {
      const capture = orAborted(backend.capture(options, signal), signal, cancelled);
      const picture = await orTooLate(capture, CAPTURE_TIMEOUT_MS);
      return { ...picture, hasPointer: options.pointer && backend.drawsPointer };
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      log.warn('a backend failed to capture the screen', { backend: backend.name, error });
      cause = error;
    }
  }
  throw cause === undefined
    ? new CommandFailure(NOT_AVAILABLE, { hint, code: 'SCREEN_UNAVAILABLE', notExecuted: true })
    : new CommandFailure(CAPTURE_FAILED, {
        hint: 'See the log of the hub. Check the backends: pincer doctor',
        cause,
      });
}

const rank = ({ drawsPointer }: { readonly drawsPointer: boolean }): number => (drawsPointer ? 0 : 1);
