/**
 * The child process that scales one image. Image decoders are native code that reads untrusted data, and they do not
 * return memory. The order comes on stdin as one line, followed by the image.
 */
import { PincerError } from '../../core/errors.ts';
import { loadSharp, type Sharp } from '../../lib/load-sharp.ts';
import { IMAGE_READERS, scaleImage, type ScaleOrder, type ScaleResult } from './scale-image.ts';

interface Input {
  readonly order: ScaleOrder;
  readonly bytes: Buffer;
}

async function readAll(): Promise<Input> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  const line = all.indexOf('\n');
  return { order: JSON.parse(all.toString('utf8', 0, line)) as ScaleOrder, bytes: all.subarray(line + 1) };
}

/** Writes the result as one line, followed by the image. */
function writeResult(result: ScaleResult, image?: Buffer): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (image !== undefined) process.stdout.write(image);
}

async function scale({ order, bytes }: Input, sharp: Sharp): Promise<void> {
  try {
    const made = await scaleImage(bytes, order, sharp);
    writeResult({ kind: 'scaled', before: made.before, after: made.after }, made.bytes);
  } catch (error) {
    writeResult({ kind: 'refused', message: PincerError.from(error).message });
  }
}

const reading = readAll();
const sharp = await loadSharp(IMAGE_READERS);
if (sharp === undefined) writeResult({ kind: 'no-sharp' });
else await scale(await reading, sharp);
