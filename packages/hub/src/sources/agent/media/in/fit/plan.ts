/** Which images have to be smaller, and how small, so that everything fits through the gateway. Pure. */
import { PincerError } from '../../../../../core/errors.ts';
import { encodedLength, roomIn } from '../../base64.ts';
import { sizeText } from '../../size-text.ts';
import type { Attachment } from '../read-media.ts';
import type { FitLimits } from './limits.ts';

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

export interface Fit {
  /** An image that is larger has to be scaled down to this. */
  readonly maxImageBytes: number;
  /** Why, as the end of a sentence. */
  readonly why: string;
}

/** For what stands around message and attachments, and around each attachment. */
const ENVELOPE_BYTES = 4 * 1024;
const ENTRY_BYTES = 256;

const ELSEWHERE = 'put it where the agent can read it and say where that is';

/** Throws where no scaling of images would help. */
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
