/** One image, scaled down until it fits. */
import { messageOf, PincerError } from '../../../../core/errors.ts';
import { visible } from '../../../../core/visible.ts';
import { sizeText } from '../../size-text.ts';
import { IMAGE_TYPES } from '../../media-types.ts';
import type { Sharp } from '../../../../lib/load-sharp.ts';
import { firstStep, nextStep, type Source, type Step } from './steps.ts';
import type { FitLimits } from './fit-attachments.ts';

/** Readers of the image types that agents are sent. sharp has many more, and none of those is needed. */
export const IMAGE_READERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadWebpBuffer',
] as const;

export interface ScaleOrder {
  /** Of the image, for sentences. */
  readonly name: string;
  readonly maxBytes: number;
  readonly limits: Pick<FitLimits, 'maxImagePixels' | 'maxTries'>;
}

export interface Scaled {
  readonly bytes: Buffer;
  readonly before: Source;
  readonly after: Step;
}

export async function scaleImage(bytes: Buffer, order: ScaleOrder, sharp: Sharp): Promise<Scaled> {
  const { name, maxBytes, limits } = order;
  const before = await readSource(bytes, order, sharp);
  let step = firstStep(before, maxBytes);
  for (let tries = 1; tries <= limits.maxTries; tries++) {
    const made = await write(bytes, step, order, sharp);
    if (made.length <= maxBytes) return { bytes: made, before, after: step };
    step = nextStep(before, step, made.length, maxBytes);
  }
  throw refuse(`${name} cannot be made smaller than ${sizeText(maxBytes)}.`);
}

async function readSource(bytes: Buffer, { name, limits }: ScaleOrder, sharp: Sharp): Promise<Source> {
  // Of its head alone, whatever that says of its size.
  const head = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(name, error);
    });
  const { format, autoOrient, hasAlpha, pages = 1 } = head;
  const { width, height } = autoOrient;
  if (!isKnown(format)) throw unreadable(name, new Error(`it is ${format}`));
  if (width * height > limits.maxImagePixels)
    throw refuse(
      `${name} has ${width}×${height} pixels, and no image of more than ${limits.maxImagePixels / 1e6} million can be scaled down here.`,
    );
  return { format, width, height, hasAlpha, frames: pages, size: bytes.length };
}

const isKnown = (format: string): format is Source['format'] => IMAGE_TYPES.has(`image/${format}`);

async function write(
  bytes: Buffer,
  { format, width, height }: Step,
  { name, limits }: ScaleOrder,
  sharp: Sharp,
): Promise<Buffer> {
  const read = sharp(bytes, {
    limitInputPixels: limits.maxImagePixels,
    sequentialRead: true,
    // Neither is what a damaged image shows passed on, nor refused what is only written carelessly.
    failOn: 'error',
  });
  try {
    return await read
      .autoOrient()
      .resize({ width, height, fit: 'fill' })
      .toFormat(format, OPTIONS[format])
      .toBuffer();
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Where nothing is said of it, metadata is left out. */
const OPTIONS = {
  jpeg: { quality: 82 },
  png: { adaptiveFiltering: true },
  webp: { quality: 82 },
} as const;

export const unreadable = (name: string, error: unknown): PincerError =>
  refuse(`${name} has to be scaled down and cannot be read as an image (${why(error)}).`);

/** The first line: more of them come from further down in the libraries. */
const why = (error: unknown): string => visible(messageOf(error).split('\n', 1)[0]!.slice(0, 200));

export const refuse = (message: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, {
    hint: 'Send a smaller one, or the same in another way: as a JPEG, or cut to what matters.',
  });
