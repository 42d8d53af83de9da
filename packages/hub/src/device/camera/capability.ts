/** `camera.*`: lists cameras, takes pictures and clips. */
import { z } from 'zod';
import type { Browser } from '../browser/browser.ts';
import { clipItem, pictureItem } from '../media/clip.ts';
import type { DevicePorts } from '../registry/ports.ts';
import {
  Base64,
  defineCapability,
  type Capability,
  type Readiness,
  CommandFailure,
} from '../registry/capability.ts';
import { positionOf } from './camera.ts';
import {
  CLIP_TEXTS,
  LIST_TEXTS,
  SNAP_TEXTS,
  UNSUPPORTED_CLIP,
  UNSUPPORTED_SNAP,
  createCameraUse,
  chooseCameras,
  type CameraParts,
} from './use-camera.ts';
import { clampedInt, flag, optionalText, text } from '../registry/arguments.ts';
import type { Limits } from '../../core/limits.ts';

export interface CameraCapabilityParts {
  readonly limits: Pick<Limits, 'maxClipBytes'>;
  readonly browser: Browser;
  /** Where Linux lists its cameras. */
  readonly videoClass?: string;
}

export function createCameraCapability(
  ports: DevicePorts,
  { limits, browser, videoClass }: CameraCapabilityParts,
): Capability {
  const parts = { ports, browser, videoClass };
  const use = createCameraUse(parts);
  return defineCapability({
    category: 'camera',
    commands: {
      'camera.list': {
        description:
          'Lists the cameras of this machine. Returns { cameras: [{ deviceId, name, isDefault }], devices: [{ id, name, position, deviceType }] }: the same cameras in two formats, for two kinds of clients.',
        input: z.object({}),
        output: z.object({
          cameras: z
            .array(z.object({ deviceId: z.string(), name: z.string(), isDefault: z.boolean() }))
            .describe('In the format of the Windows app.'),
          devices: z
            .array(
              z.object({
                id: z.string(),
                name: z.string(),
                position: z.enum(['front', 'back', 'unknown']),
                deviceType: z.string(),
              }),
            )
            .describe('The same cameras in the format of other nodes.'),
        }),
        annotations: {
          title: 'List cameras',
          readOnlyHint: true,
          idempotentHint: true,
          openWorldHint: false,
        },
        run: (_, { signal }) =>
          use(LIST_TEXTS, signal, async ({ backend, cameras: known }) => {
            const found = known ?? (await backend.list(signal));
            const { deviceType } = backend;
            return {
              cameras: found.map(({ id, name }, index) => ({ deviceId: id, name, isDefault: index === 0 })),
              devices: found.map(({ id, name }) => ({ id, name, position: positionOf(name), deviceType })),
            };
          }),
      },
      'camera.snap': {
        description:
          'Takes a picture with a camera of this machine. Args: deviceId, facing (front or back), format (jpeg or png, default jpeg), maxWidth (default 1280), quality (1-100, or a fraction, default 80), delayMs (default 500). Returns { format, width, height, base64 }.',
        input: SNAP_INPUT,
        output: z.object({
          format: z.enum(['jpeg', 'jpg', 'png']).describe('As requested.'),
          width: z.int().describe('Pixels.'),
          height: z.int().describe('Pixels.'),
          base64: z
            .string()
            .optional()
            .describe('The picture. Clients that run a model get it as image content instead.'),
        }),
        example: { maxWidth: 640 },
        annotations: { title: 'Take a picture', readOnlyHint: true, openWorldHint: false },
        bulky: ['base64'],
        media: pictureItem,
        async run({ deviceId, facing, format: asked, maxWidth, quality, delayMs }, { signal }) {
          const wanted = snapFormat(asked);
          if (wanted === undefined) throw new CommandFailure(UNSUPPORTED_SNAP, { notExecuted: true });
          const order = {
            format: wanted.format,
            maxWidth,
            quality: qualityOf(quality, { facing, delayMs }),
            delayMs: delayOf(delayMs),
          };
          return use(SNAP_TEXTS, signal, async ({ backend, choose }) => {
            const camera = await choose({ deviceId, facing });
            const { width, height, bytes } = await backend.snap(camera, order, signal);
            return { format: wanted.name, width, height, base64: new Base64(bytes) };
          });
        },
      },
      'camera.clip': {
        description:
          'Records a clip with a camera of this machine. Args: deviceId, facing (front or back), durationMs (default 3000, at most 60000), includeAudio (default true). Returns { format, base64, durationMs, hasAudio }.',
        input: CLIP_INPUT,
        output: z.object({
          format: z.enum(['mp4', 'webm']).describe('webm only if the browser cannot write MP4.'),
          durationMs: z.int().describe('As requested, within the limits.'),
          hasAudio: z.boolean().describe('Whether the clip has sound.'),
          base64: z
            .string()
            .optional()
            .describe('The clip. Clients that run a model get it as an embedded resource instead.'),
        }),
        example: { durationMs: 2_000, includeAudio: false },
        annotations: { title: 'Record a clip', readOnlyHint: true, openWorldHint: false },
        bulky: ['base64'],
        media: clipItem,
        async run({ deviceId, facing, format: asked, durationMs, includeAudio }, context) {
          if (asked.trim().toLowerCase() !== 'mp4')
            throw new CommandFailure(UNSUPPORTED_CLIP, { notExecuted: true });
          const order = { durationMs, includeAudio, maxBytes: limits.maxClipBytes };
          return use(CLIP_TEXTS, context.signal, async ({ backend, choose }) => {
            const camera = await choose({ deviceId, facing });
            const { bytes, format, hasAudio } = await backend.clip(camera, order, context);
            return { format, base64: new Base64(bytes), durationMs, hasAudio };
          });
        },
      },
    },
    readiness: async () => [await cameraReadiness(parts)],
  });
}

const TIMEOUT_MS = 10_000;

/** The backend of the camera commands, or what is missing. */
async function cameraReadiness(parts: CameraParts): Promise<Readiness> {
  const commands = ['camera.list', 'camera.snap', 'camera.clip'];
  const chosen = await chooseCameras(parts, AbortSignal.timeout(TIMEOUT_MS));
  if (!('backend' in chosen)) return { commands, available: false, ...chosen };
  const { deviceType } = chosen.backend;
  // This check does not start the browser, so whether it finds a camera is unknown.
  const backend = deviceType === 'browser' ? 'the browser, if it finds a camera' : `ffmpeg (${deviceType})`;
  return { commands, available: true, backend };
}

const DEFAULT_QUALITY = 80;
const MAX_DELAY_MS = 10_000;

const WHICH = {
  deviceId: optionalText('Id or name of a camera from camera.list. The first camera if absent.'),
  facing: optionalText('front or back: prefers a camera whose name says so.', ['front', 'back']),
};

/** Arguments of the camera commands, in both dialects. */
export const SNAP_INPUT = z.object({
  ...WHICH,
  format: text('jpeg', 'jpeg (or jpg) or png.', ['jpeg', 'jpg', 'png']),
  maxWidth: clampedInt(16, 4096, 1280, 'Width in pixels above which the picture is scaled down.'),
  quality: z
    .number()
    .optional()
    .catch(undefined)
    .meta({ minimum: 0, maximum: 100, default: DEFAULT_QUALITY })
    .describe(
      'Quality of a JPEG in percent, or as a fraction below 1. With facing or delayMs, 1 is a fraction, too.',
    ),
  delayMs: z
    .number()
    .optional()
    .catch(undefined)
    // No default: whether it is given decides what a quality of 1 means.
    .meta({ minimum: 0, maximum: MAX_DELAY_MS })
    .describe('Milliseconds for the camera to adjust to the light; 500 if absent.'),
});

export const CLIP_INPUT = z.object({
  ...WHICH,
  durationMs: clampedInt(100, 60_000, 3_000, 'Milliseconds to record.'),
  includeAudio: flag(true, 'Also records sound if there is a microphone.'),
  format: text('mp4', 'Only mp4.', ['mp4']),
});

const DEFAULT_DELAY_MS = 500;

export const delayOf = (delayMs: number | undefined): number =>
  Math.min(MAX_DELAY_MS, Math.max(0, Math.round(delayMs ?? DEFAULT_DELAY_MS)));

/**
 * Quality in percent. Other nodes count from 0 to 1, so a 1 means 100 % if the call has arguments that only they know
 * (facing, delayMs).
 */
export function qualityOf(
  quality: number | undefined,
  { facing, delayMs }: { readonly facing?: string | undefined; readonly delayMs?: number | undefined },
): number {
  if (quality === undefined) return DEFAULT_QUALITY;
  const countsToOne = facing !== undefined || delayMs !== undefined;
  const percent = quality < 1 || (quality === 1 && countsToOne) ? quality * 100 : quality;
  return Math.min(100, Math.max(1, Math.round(percent)));
}

/** The name of the format in the answer, and the format to encode. Undefined for an unknown format. */
export function snapFormat(
  name: string,
): { readonly name: string; readonly format: 'png' | 'jpeg' } | undefined {
  const asked = name.trim().toLowerCase();
  if (asked === '') return { name: 'jpeg', format: 'jpeg' };
  if (asked === 'png') return { name: asked, format: 'png' };
  return asked === 'jpeg' || asked === 'jpg' ? { name: asked, format: 'jpeg' } : undefined;
}
