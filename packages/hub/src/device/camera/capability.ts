/** The cameras of this machine: which there are, pictures and clips. */
import { z } from 'zod';
import type { Browser } from '../browser/browser.ts';
import { clipItem, pictureItem } from '../media/items.ts';
import type { MediaLimits } from '../media/limits.ts';
import type { DevicePorts } from '../ports.ts';
import { Base64 } from '../registry/base64.ts';
import { defineCapability, type Capability } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { CLIP_INPUT, delayOf, qualityOf, SNAP_INPUT, snapFormat } from './arguments.ts';
import { positionOf } from './camera.ts';
import { cameraReadiness } from './readiness.ts';
import { CLIP_TEXTS, LIST_TEXTS, SNAP_TEXTS, UNSUPPORTED_CLIP, UNSUPPORTED_SNAP } from './texts.ts';
import { createCameraUse } from './use-camera.ts';

export interface CameraCapabilityParts {
  readonly limits: MediaLimits;
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
          'Lists the cameras of this machine. Returns { cameras: [{ deviceId, name, isDefault }], devices: [{ id, name, position, deviceType }] }: the same ones twice, in the words of two kinds of clients.',
        input: z.object({}),
        output: z.object({
          cameras: z
            .array(z.object({ deviceId: z.string(), name: z.string(), isDefault: z.boolean() }))
            .describe('In the words of the app for Windows.'),
          devices: z
            .array(
              z.object({
                id: z.string(),
                name: z.string(),
                position: z.enum(['front', 'back', 'unknown']),
                deviceType: z.string(),
              }),
            )
            .describe('The same ones in the words of other nodes.'),
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
          format: z.enum(['jpeg', 'jpg', 'png']).describe('As it was asked for.'),
          width: z.int().describe('Pixels.'),
          height: z.int().describe('Pixels.'),
          base64: z
            .string()
            .optional()
            .describe('The picture; to clients of models it is an image beside the text.'),
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
          format: z.enum(['mp4', 'webm']).describe('webm only of a browser that writes no MP4.'),
          durationMs: z.int().describe('As long as it was asked for, within the bounds.'),
          hasAudio: z.boolean().describe('Whether there is sound in it.'),
          base64: z
            .string()
            .optional()
            .describe('The clip; to clients of models it is a resource beside the text.'),
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
