/**
 * Scales one image down, in a process of its own: readers of images are native code that strangers feed, and what they
 * have once taken of memory they do not give back. The order comes on stdin as one line, and behind it the image in base64.
 */
import { PincerError } from '../../../../../core/errors.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { scaleImage, type ScaleOrder } from './scale-image.ts';
import type { Told } from './scale-in-child.ts';

interface Given {
  readonly order: ScaleOrder;
  readonly bytes: Buffer;
}

async function readAll(): Promise<Given> {
  const parts: string[] = [];
  process.stdin.setEncoding('utf8');
  for await (const part of process.stdin) parts.push(part as string);
  const text = parts.join('');
  const line = text.indexOf('\n');
  return {
    order: JSON.parse(text.slice(0, line)) as ScaleOrder,
    bytes: Buffer.from(text.slice(line + 1), 'base64'),
  };
}

/** One line that says how it went, and then the image in base64. */
const tell = (told: Told, image = ''): boolean => process.stdout.write(`${JSON.stringify(told)}\n${image}`);

async function scale({ order, bytes }: Given, sharp: Sharp): Promise<void> {
  try {
    const made = await scaleImage(bytes, order, sharp);
    tell({ kind: 'scaled', before: made.before, after: made.after }, made.bytes.toString('base64'));
  } catch (error) {
    tell({ kind: 'refused', message: PincerError.from(error).message });
  }
}

const reading = readAll();
await loadSharp().then(
  async (sharp) => scale(await reading, sharp),
  () => tell({ kind: 'no-sharp' }),
);
