/** The screens of this machine: pictures and recordings of them. */
import { z } from 'zod';
import { oneAtATime } from '../../../core/one-at-a-time.ts';
import { createEncoders } from '../media/encoder.ts';
import type { MediaLimits } from '../media/limits.ts';
import { clipItem, pictureItem } from '../media/items.ts';
import { mimeTypeOf } from '../media/pixels.ts';
import { pictureFormat } from '../media/picture-format.ts';
import type { DevicePorts } from '../ports.ts';
import { Base64, DataUri } from '../registry/base64.ts';
import { defineCapability, type Capability } from '../registry/capability.ts';
import { cancelled, CommandFailure } from '../registry/failure.ts';
import { RECORD_INPUT, screenOf, SNAPSHOT_INPUT } from './arguments.ts';
import { snapshotBackends } from './backends/choose.ts';
import { recordReadiness, snapshotReadiness } from './readiness.ts';
import { recordScreen } from './record.ts';
import { takeSnapshot } from './snapshot.ts';
import { UNSUPPORTED_FORMAT, UNSUPPORTED_RECORDING } from './texts.ts';

export function createScreenCapability(
  ports: DevicePorts,
  { limits }: { readonly limits: MediaLimits },
): Capability {
  // Pictures of one screen at once are no quicker, and take threads that others need.
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
          hasPointer: z.boolean().describe('Whether the mouse pointer is drawn in it.'),
          base64: z
            .string()
            .optional()
            .describe('The picture; to clients of models it is an image beside the text.'),
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
          durationMs: z.int().describe('As long as it was asked for, within the bounds.'),
          fps: z.number().describe('Pictures per second.'),
          screenIndex: z.int().describe('Which screen it shows.'),
          hasAudio: z.boolean().describe('Whether there is sound in it.'),
          base64: z
            .string()
            .optional()
            .describe('The clip; to clients of models it is a resource beside the text.'),
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
