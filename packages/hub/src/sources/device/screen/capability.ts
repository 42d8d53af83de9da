/** The screens of this machine: pictures and recordings of them. */
import { z } from 'zod';
import { mimeTypeOf } from '../media/pixels.ts';
import type { DevicePorts } from '../ports.ts';
import { defineCapability, type Capability, type Payload } from '../registry/capability.ts';
import { CommandFailure } from '../registry/failure.ts';
import { pictureFormat, screenOf, SNAPSHOT_INPUT } from './arguments.ts';
import { snapshotBackends } from './backends/choose.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { snapshotReadiness } from './readiness.ts';
import { takeSnapshot } from './snapshot.ts';
import { UNSUPPORTED_FORMAT } from './texts.ts';

export function createScreenCapability(ports: DevicePorts): Capability {
  const inTurn = oneAtATime();
  return defineCapability({
    category: 'screen',
    commands: {
      'screen.snapshot': {
        description:
          'Takes a picture of one screen of this machine. Args: format (png or jpeg, default png), maxWidth (default 1920), quality (1-100, of jpeg, default 80), screenIndex (default 0), includePointer. Returns { format, width, height, base64, image (a data: URI), hasPointer }.',
        input: SNAPSHOT_INPUT,
        output: z.object({
          format: z.enum(['png', 'jpeg']),
          width: z.int(),
          height: z.int(),
          hasPointer: z.boolean().describe('Whether the mouse pointer is drawn in it.'),
          base64: z.string().optional(),
          image: z.string().optional().describe('The same as a data: URI.'),
        }),
        annotations: { title: 'Take a screenshot', readOnlyHint: true, openWorldHint: false },
        bulky: ['base64', 'image'],
        media: pictureItem,
        async run({ format: name, maxWidth, quality, includePointer, ...which }, { signal }) {
          const format = pictureFormat(name);
          if (format === undefined) throw new CommandFailure(UNSUPPORTED_FORMAT, { notExecuted: true });
          const order = { format, maxWidth, quality, screenIndex: screenOf(which), includePointer };
          const backends = snapshotBackends(ports);
          const { bytes, ...made } = await inTurn(() =>
            takeSnapshot(order, backends, { log: ports.log, signal }),
          );
          const base64 = bytes.toString('base64');
          return { ...made, base64, image: `data:${mimeTypeOf(format)};base64,${base64}` };
        },
      },
    },
    readiness: async () => [await snapshotReadiness(ports)],
  });
}

function pictureItem(payload: Payload) {
  const { base64, format } = payload as { base64: string; format: 'png' | 'jpeg' };
  return [{ type: 'image' as const, data: base64, mimeType: mimeTypeOf(format) }];
}
