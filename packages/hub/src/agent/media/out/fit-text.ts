/** A text that is too long for one line: its beginning, and where the whole of it is. */
import { sizeText } from '../size-text.ts';
import type { ContentBlock, ReplyWay } from './content-blocks.ts';
import { lineBytes } from './line-bytes.ts';

/** Room for what stands around text and media on the same line. */
export const LINE_ENVELOPE_BYTES = 16 * 1024;

interface FittedText {
  /** All of it, or its beginning with a word that it is no more than that. */
  readonly text: string;
  readonly link: readonly ContentBlock[];
}

const NAME = 'answer.txt';
const MIME_TYPE = 'text/plain';
/** Characters that are looked at together. */
const PIECE = 1024;

export function fitText(text: string, { limits, isLine, shelf }: ReplyWay): FittedText {
  const most = limits.maxReplyLineBytes;
  // A short one is worth more than a word that it is not here, however little a line may have.
  const room = Math.max(most - LINE_ENVELOPE_BYTES, LINE_ENVELOPE_BYTES);
  if (!isLine || lineBytes(text) <= room) return { text, link: [] };
  // The other half is for what comes with it.
  const begun = beginning(text, most / 2);
  const bytes = Buffer.from(text);
  const size = bytes.length;
  if (shelf === undefined) {
    const missing = sizeText(size - Buffer.byteLength(begun));
    const remark = `[${missing} more are not here: a line to this client may have ${sizeText(most)}]`;
    return { text: `${begun}\n\n${remark}`, link: [] };
  }
  const uri = shelf.keep({ bytes, mimeType: MIME_TYPE, name: NAME });
  return {
    text: `${begun}\n\n[This is the beginning. The whole of it, ${sizeText(size)}, is in ${NAME}]`,
    link: [{ type: 'resource_link', uri, name: NAME, mimeType: MIME_TYPE, size }],
  };
}

/** As much as fits, without half a character at its end. */
function beginning(text: string, room: number): string {
  let end = 0;
  for (let left = room; end < text.length; end += PIECE) {
    left -= lineBytes(text.slice(end, end + PIECE));
    if (left < 0) break;
  }
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
}
