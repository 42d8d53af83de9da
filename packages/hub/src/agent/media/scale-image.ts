/** Scales one image down until it fits. Runs in the child process of scale-child.ts. */
import { messageOf, PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';
import type { Sharp } from '../../lib/load-sharp.ts';
import { IMAGE_TYPES } from './media-types.ts';
import { sizeText } from './name-and-size.ts';

/** The loaders for the accepted image types. All other loaders of sharp stay disabled. */
export const IMAGE_READERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadWebpBuffer',
] as const;

export interface ScaleOrder {
  /** The name of the image, for messages. */
  readonly name: string;
  readonly maxBytes: number;
  readonly limits: { readonly maxImagePixels: number; readonly maxTries: number };
}

/** The result line of the child process. The image follows it. */
export type ScaleResult =
  | { readonly kind: 'scaled'; readonly before: Source; readonly after: Step }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'no-sharp' };

interface Scaled {
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
  // Reads only the header, so any image size is allowed here.
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
      `${name} has ${width}×${height} pixels. Images of more than ${limits.maxImagePixels / 1e6} million pixels cannot be scaled down.`,
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
    // Refuses damaged images, but tolerates warnings.
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

/** sharp drops metadata by default. */
const OPTIONS = {
  jpeg: { quality: 82 },
  png: { adaptiveFiltering: true },
  webp: { quality: 82 },
} as const;

export const unreadable = (name: string, error: unknown): PincerError =>
  refuse(`${name} has to be scaled down, but cannot be read as an image (${why(error)}).`);

/** Only the first line: the others come from the libraries below. */
const why = (error: unknown): string => visible(messageOf(error).split('\n', 1)[0]!.slice(0, 200));

export const refuse = (message: string): PincerError =>
  new PincerError('ARGUMENT_INVALID', message, {
    hint: 'Send a smaller image, for example as a JPEG, or crop it.',
  });

type Format = 'jpeg' | 'png' | 'webp';

export interface Source {
  readonly format: Format | 'gif';
  /** After rotation by EXIF. */
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  /** More than one for an animation. */
  readonly frames: number;
  readonly size: number;
}

/** One attempt: the format and the size. */
export interface Step {
  readonly format: Format;
  /** Scale of the edges before rounding. */
  readonly factor: number;
  readonly width: number;
  readonly height: number;
}

/** File sizes are only roughly proportional to the number of pixels. */
const MARGIN = 0.9;
/** Maximum edge length of each format. */
const MAX_EDGE: Readonly<Record<Format, number>> = { jpeg: 65_535, png: 2 ** 31 - 1, webp: 16_383 };

/** Keeps the format, except that a GIF becomes a PNG, because scaling creates new colours. Uses the first frame of an animation. */
export function firstStep(source: Source, maxBytes: number): Step {
  const format = source.format === 'gif' ? 'png' : source.format;
  return scaled(source, format, ratio(maxBytes, source.size / source.frames));
}

/** The step after one whose result had `made` bytes, which was too large. */
export function nextStep(source: Source, { format, factor }: Step, made: number, maxBytes: number): Step {
  // A well compressed PNG can have more bytes with fewer pixels, so switch to a lossy format.
  if (format === 'png') return scaled(source, source.hasAlpha ? 'webp' : 'jpeg', factor);
  return scaled(source, format, factor * ratio(maxBytes, made));
}

const ratio = (wanted: number, is: number): number => Math.min(1, Math.sqrt((MARGIN * wanted) / is));

function scaled({ width, height }: Source, format: Format, wanted: number): Step {
  const factor = Math.min(wanted, MAX_EDGE[format] / Math.max(width, height));
  const edge = (length: number): number => Math.max(1, Math.floor(length * factor));
  return { format, factor, width: edge(width), height: edge(height) };
}
