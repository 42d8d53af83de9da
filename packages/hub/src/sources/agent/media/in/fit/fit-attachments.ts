/** Media of a message as the gateway takes them: images that are too large are scaled down, and the caller is told. */
import { DEFAULT_LIMITS } from '../../../../../core/limits.ts';
import { PincerError } from '../../../../../core/errors.ts';
import { oneAtATime } from '../../../../../core/one-at-a-time.ts';
import { sizeText } from '../../size-text.ts';
import { decodedSize } from '../../base64.ts';
import { IMAGE_TYPES } from '../../media-types.ts';
import type { Attachment } from '../read-media.ts';
import { FIT_LIMITS, type FitLimits } from './limits.ts';
import { planFit, type Fit, type Room } from './plan.ts';
import { scaleInChild, type ScaledInChild } from './scale-in-child.ts';

/** An image needs much memory: one is scaled at a time, whoever has sent it. */
const inTurn = oneAtATime();

export interface Fitted {
  readonly attachments: Attachment[];
  /** One for each image that is another now. */
  readonly remarks: string[];
}

export interface FitParts {
  readonly limits?: Partial<FitLimits>;
  /** Options of Node for the process that scales. */
  readonly nodeOptions?: readonly string[];
}

/**
 * Nothing is decoded that fits already. Throws a `PincerError` where something cannot be made to fit, and what the signal
 * is aborted with.
 */
export async function fitAttachments(
  attachments: readonly Attachment[],
  room: Room,
  signal: AbortSignal,
  { limits: given, nodeOptions = [] }: FitParts = {},
): Promise<Fitted> {
  const parts = {
    limits: { ...DEFAULT_LIMITS, ...FIT_LIMITS, ...given },
    nodeOptions,
  };
  const fit = planFit(attachments, room, parts.limits);
  const fitted: Fitted = { attachments: [], remarks: [] };
  for (const each of attachments) {
    if (each.kind === 'file' || each.size <= fit.maxImageBytes) {
      fitted.attachments.push(each);
      continue;
    }
    const scale = () => scaleInChild(each, fit.maxImageBytes, parts, signal);
    const scaled = await inTurn(scale, { signal });
    if (scaled === undefined) throw withoutSharp(each, fit);
    const image = remade(each, scaled);
    fitted.attachments.push(image);
    fitted.remarks.push(remarkOn(each, image, scaled, fit));
  }
  return fitted;
}

const withoutSharp = ({ name, size }: Attachment, { why }: Fit): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${name} is too large: it is ${sizeText(size)}, and ${why}.`, {
    hint: 'Send a smaller one, or install sharp where the hub is installed: with it, Pincer scales images down.',
  });

function remade(image: Attachment, { data, after }: ScaledInChild): Attachment {
  const mimeType = `image/${after.format}`;
  const name = mimeType === image.mimeType ? image.name : renamed(image.name, IMAGE_TYPES.get(mimeType)!);
  return { kind: 'image', mimeType, name, size: decodedSize(data)!, data };
}

const renamed = (name: string, ending: string): string =>
  `${name.replace(/(?<=.)\.(?:png|gif)$/i, '')}.${ending}`;

/** One sentence, or two where it moved. */
function remarkOn(
  { name, size }: Attachment,
  image: Attachment,
  { before, after }: ScaledInChild,
  { why }: Fit,
): string {
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
