/** Media of a message as the gateway takes them: images that are too large are scaled down, and the caller is told. */
import { DEFAULT_LIMITS, type Limits } from '../../../../core/limits.ts';
import { PincerError } from '../../../../core/errors.ts';
import { oneAtATime } from '../../../../lib/one-at-a-time.ts';
import { sizeText } from '../../size-text.ts';
import { decodedSize, encodedLength, roomIn } from '../../base64.ts';
import { IMAGE_TYPES } from '../../media-types.ts';
import type { Attachment } from '../read-media.ts';
import { scaleInChild, type ScaledInChild } from './scale-in-child.ts';

/** What scaling images down may cost. */
export const FIT_LIMITS = {
  /** How often one image is written before nobody tries any more; each try knows what the one before has made. */
  maxTries: 5,
  /** Nobody can see anything in an image that had to be smaller. */
  minBytes: 64 * 1024,
} as const;

export type FitLimits = { readonly [K in keyof typeof FIT_LIMITS]: number } & Pick<
  Limits,
  'maxImagePixels' | 'maxScaleMs'
>;

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

/** What the gateway takes. */
export interface Room {
  /** Of an image, in bytes. */
  readonly maxImageBytes: number;
  /** Of anything else, in bytes. */
  readonly maxBytes: number;
  /** Of all together, as it is sent: in one JSON text, media in base64. */
  readonly maxFrameBytes: number;
  /** What the message takes of that. */
  readonly messageBytes: number;
}

interface Fit {
  /** An image that is larger has to be scaled down to this. */
  readonly maxImageBytes: number;
  /** Why, as the end of a sentence. */
  readonly why: string;
}

/** For what stands around message and attachments, and around each attachment. */
const ENVELOPE_BYTES = 4 * 1024;
const ENTRY_BYTES = 256;

const ELSEWHERE = 'put it where the agent can read it and say where that is';

/**
 * Which images have to be smaller, and how small, so that everything fits through the gateway. Pure. Throws where
 * no scaling of images would help.
 */
export function planFit(
  attachments: readonly Attachment[],
  room: Room,
  { minBytes }: Pick<FitLimits, 'minBytes'>,
): Fit {
  const perImage = Math.min(room.maxImageBytes, room.maxBytes);
  for (const each of attachments)
    if (each.kind === 'file' && each.size > room.maxBytes)
      throw new PincerError(
        'ARGUMENT_INVALID',
        `${each.name} is too large: ${each.size} bytes, and the gateway takes files up to ${room.maxBytes} (${sizeText(room.maxBytes)}).`,
        { hint: `Send a smaller one, or ${ELSEWHERE}.` },
      );
  const fixed = attachments.reduce(
    (sum, each) => sum + around(each) + (each.kind === 'file' ? each.data.length : 0),
    ENVELOPE_BYTES + room.messageBytes,
  );
  const images = attachments.filter(({ kind }) => kind === 'image');
  const left = room.maxFrameBytes - fixed;
  const lengths = images.map(({ data, size }) => (size > perImage ? encodedLength(perImage) : data.length));
  if (lengths.reduce((sum, length) => sum + length, 0) <= left)
    return { maxImageBytes: perImage, why: `the gateway takes images up to ${sizeText(perImage)}` };
  const share = roomIn(fairShare(lengths, left));
  if (share < Math.min(minBytes, perImage)) throw tooMuch(attachments, room);
  return { maxImageBytes: share, why: `the gateway takes ${sizeText(room.maxFrameBytes)} in all` };
}

/** The name is at most six bytes for each character in JSON. */
const around = ({ name, mimeType }: Attachment): number => ENTRY_BYTES + 6 * name.length + mimeType.length;

/** The most that each may have so that all have no more than `room`: those that need less leave theirs to the others. */
function fairShare(needs: readonly number[], room: number): number {
  let left = room;
  const sorted = needs.toSorted((a, b) => a - b);
  for (const [index, need] of sorted.entries()) {
    const share = left / (sorted.length - index);
    if (need > share) return Math.max(0, share);
    left -= need;
  }
  return Math.max(0, left);
}

function tooMuch(attachments: readonly Attachment[], { maxFrameBytes, messageBytes }: Room): PincerError {
  const all = attachments.reduce(
    (sum, each) => sum + around(each) + each.data.length,
    ENVELOPE_BYTES + messageBytes,
  );
  const files = attachments.filter(({ kind }) => kind === 'file');
  // Images would have been scaled down.
  const [largest] = (files.length > 0 ? files : attachments).toSorted((a, b) => b.size - a.size);
  const most =
    largest === undefined || largest.data.length < messageBytes
      ? `the message itself (${sizeText(messageBytes)})`
      : `${largest.name} (${sizeText(largest.size)})`;
  return new PincerError(
    'ARGUMENT_INVALID',
    `As they are sent, message, images and files are ${sizeText(all)} together, and the gateway takes ${sizeText(maxFrameBytes)}. The largest is ${most}.`,
    { hint: `Send some of them in further messages with the same sessionKey, or ${ELSEWHERE}.` },
  );
}
