/** Media of a message as the gateway takes them: images that are too large are scaled down, and the caller is told. */
import { PincerError } from '../../../../../core/errors.ts';
import { sizeText } from '../../limits.ts';
import type { Attachment } from '../read-media.ts';
import { FIT_LIMITS, type FitLimits } from './limits.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { planFit, type Fit, type Room } from './plan.ts';
import { scaleImage, type ScaledImage } from './scale-image.ts';

export interface Fitted {
  readonly attachments: Attachment[];
  /** One for each image that is another now. */
  readonly remarks: string[];
}

export interface FitParts {
  readonly load?: () => Promise<Sharp>;
  readonly limits?: Partial<FitLimits>;
}

/** Nothing is decoded that fits already. Throws a `PincerError` where something cannot be made to fit. */
export async function fitAttachments(
  attachments: readonly Attachment[],
  room: Room,
  signal: AbortSignal,
  { load = loadSharp, ...given }: FitParts = {},
): Promise<Fitted> {
  const limits = { ...FIT_LIMITS, ...given.limits };
  const fit = planFit(attachments, room, limits);
  const fitted: Fitted = { attachments: [], remarks: [] };
  for (const each of attachments) {
    if (each.kind === 'file' || each.size <= fit.maxImageBytes) {
      fitted.attachments.push(each);
      continue;
    }
    const scaled = await oneAtATime(signal, async () => {
      const sharp = await sharpFor(each, fit, load);
      return scaleImage(each, fit.maxImageBytes, { sharp, limits }, signal);
    });
    fitted.attachments.push(scaled.image);
    fitted.remarks.push(remarkOn(each, scaled, fit));
  }
  return fitted;
}

function sharpFor(image: Attachment, fit: Fit, load: () => Promise<Sharp>): Promise<Sharp> {
  return load().catch((cause: unknown) => {
    throw new PincerError(
      'ARGUMENT_INVALID',
      `${image.name} is too large: it is ${sizeText(image.size)}, and ${fit.why}.`,
      {
        hint: 'Send a smaller one, or install sharp where the hub is installed: with it, Pincer scales images down.',
        cause,
      },
    );
  });
}

function remarkOn({ name, size }: Attachment, { image, before, after }: ScaledImage, { why }: Fit): string {
  const isSmaller = after.width < before.width || after.height < before.height;
  const from = `${before.width}×${before.height} (${sizeText(size)})`;
  const to = `${after.width}×${after.height} (${sizeText(image.size)})`;
  return [
    `${name} was ${isSmaller ? 'scaled down' : 'compressed'} from ${from} to ${to}`,
    image.name === name ? '' : ` and is ${image.name} now`,
    `: ${why}.`,
    before.frames > 1 ? ` Of its ${before.frames} frames, the first is left.` : '',
  ].join('');
}
