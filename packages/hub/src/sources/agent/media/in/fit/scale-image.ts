/** One image, scaled down until it fits. */
import { messageOf, PincerError } from '../../../../../core/errors.ts';
import { visible } from '../../../../../core/visible.ts';
import { sizeText } from '../../limits.ts';
import { IMAGE_TYPES } from '../media-types.ts';
import type { Attachment } from '../read-media.ts';
import type { FitLimits } from './limits.ts';
import type { Sharp } from './load-sharp.ts';
import { firstStep, nextStep, type Format, type Source, type Step } from './steps.ts';

export interface ScaledImage {
  readonly image: Attachment;
  readonly before: Source;
  readonly after: Step;
}

const HINT = 'Send a smaller one, or the same in another way: as a JPEG, or cut to what matters.';

export interface ScaleParts {
  readonly sharp: Sharp;
  readonly limits: FitLimits;
}

/** Throws what the signal was aborted with, between two tries. */
export async function scaleImage(
  image: Attachment,
  maxBytes: number,
  { sharp, limits }: ScaleParts,
  signal: AbortSignal,
): Promise<ScaledImage> {
  const bytes = Buffer.from(image.data, 'base64');
  const before = await readSource(image, bytes, { sharp, limits });
  let step = firstStep(before, maxBytes);
  for (let tries = 1; tries <= limits.maxSteps; tries++) {
    signal.throwIfAborted();
    const made = await write(image, bytes, step, { sharp, limits });
    if (made.length <= maxBytes) return { image: remade(image, made, step.format), before, after: step };
    step = nextStep(before, step, made.length, maxBytes);
  }
  throw refuse(`${image.name} cannot be made smaller than ${sizeText(maxBytes)}`);
}

async function readSource(image: Attachment, bytes: Buffer, { sharp, limits }: ScaleParts): Promise<Source> {
  // Of its head alone, whatever that says of its size.
  const head = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(image, error);
    });
  const { format, autoOrient, hasAlpha, pages = 1 } = head;
  const { width, height } = autoOrient;
  if (!isKnown(format)) throw unreadable(image, new Error(`it is ${format}`));
  if (width * height > limits.maxImagePixels)
    throw refuse(
      `${image.name} has ${width}×${height} pixels, and no image of more than ${limits.maxImagePixels / 1e6} million can be scaled down here`,
    );
  return { format, width, height, hasAlpha, frames: pages, size: image.size };
}

const isKnown = (format: string): format is Source['format'] => IMAGE_TYPES.has(`image/${format}`);

async function write(
  image: Attachment,
  bytes: Buffer,
  step: Step,
  { sharp, limits }: ScaleParts,
): Promise<Buffer> {
  const { format, width, height } = step;
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
      .timeout({ seconds: limits.maxStepSeconds })
      .toFormat(format, OPTIONS[format])
      .toBuffer();
  } catch (error) {
    throw unreadable(image, error);
  }
}

/** Where nothing is said of it, metadata is left out. */
const OPTIONS = {
  jpeg: { quality: 82 },
  png: { adaptiveFiltering: true },
  webp: { quality: 82 },
} as const;

function remade(image: Attachment, made: Buffer, format: Format): Attachment {
  const mimeType = `image/${format}`;
  const name = mimeType === image.mimeType ? image.name : renamed(image.name, IMAGE_TYPES.get(mimeType)!);
  return { kind: 'image', mimeType, name, size: made.length, data: made.toString('base64') };
}

const renamed = (name: string, ending: string): string =>
  `${name.replace(/(?<=.)\.(?:png|gif)$/i, '')}.${ending}`;

const unreadable = ({ name }: Attachment, error: unknown): PincerError =>
  refuse(`${name} has to be scaled down and cannot be read as an image (${why(error)})`, error);

/** The first line: more of them come from further down in the libraries. */
const why = (error: unknown): string => visible(messageOf(error).split('\n', 1)[0]!.slice(0, 200));

const refuse = (sentence: string, cause?: unknown): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${sentence}.`, { hint: HINT, cause });
