/**
 * Scales one image down, in a process of its own: readers of images are native code that strangers feed, and what they
 * have once taken of memory they do not give back. The order comes on stdin as one line, and behind it the image.
 */
import { PincerError } from '../../../../core/errors.ts';
import { loadSharp, type Sharp } from '../../../../lib/load-sharp.ts';
import { IMAGE_READERS, scaleImage, type ScaleOrder } from './scale-image.ts';
import type { Told } from './scale-in-child.ts';

interface Given {
  readonly order: ScaleOrder;
  readonly bytes: Buffer;
}

async function readAll(): Promise<Given> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  const line = all.indexOf('\n');
  return { order: JSON.parse(all.toString('utf8', 0, line)) as ScaleOrder, bytes: all.subarray(line + 1) };
}

/** One line that says how it went, and behind it the image. */
function tell(told: Told, image?: Buffer): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
  if (image !== undefined) process.stdout.write(image);
}

async function scale({ order, bytes }: Given, sharp: Sharp): Promise<void> {
  try {
    const made = await scaleImage(bytes, order, sharp);
    tell({ kind: 'scaled', before: made.before, after: made.after }, made.bytes);
  } catch (error) {
    tell({ kind: 'refused', message: PincerError.from(error).message });
  }
}

const reading = readAll();
const sharp = await loadSharp(IMAGE_READERS);
if (sharp === undefined) tell({ kind: 'no-sharp' });
else await scale(await reading, sharp);
