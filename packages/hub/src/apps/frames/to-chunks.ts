/** A long frame as several short ones. */

/**
 * A text that fits is left as it is. Each chunk has at most `maxBytes` in UTF-8, and no character is cut in two.
 * `id` tells the chunks of one text from those of another that is sent at the same time.
 */
export function toChunks(text: string, maxBytes: number, id: string): string[] {
  if (!isLonger(text, maxBytes)) return [text];
  const room = maxBytes - Buffer.byteLength(chunkText(id, Number.MAX_SAFE_INTEGER, false, ''));
  if (room < MOST_BYTES) throw new RangeError(`A chunk of ${maxBytes} bytes has no room for data.`);
  const chunks: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = endOfPiece(text, from, room);
    chunks.push(chunkText(id, chunks.length, to === text.length, text.slice(from, to)));
    from = to;
  }
  return chunks;
}

const chunkText = (id: string, index: number, isLast: boolean, data: string): string =>
  JSON.stringify({ type: 'chunk', id, index, isLast, data });

function endOfPiece(text: string, from: number, room: number): number {
  let left = room;
  let at = from;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    left -= bytesInJson(code);
    if (left < 0) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Of one character: `\u0000`. */
const MOST_BYTES = 6;
const ESCAPED_SHORT: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);

/** What a character takes within a JSON string, as JSON.stringify writes it. */
function bytesInJson(code: number): number {
  if (code < 0x80) {
    if (code >= 0x20 && code !== 0x22 && code !== 0x5c) return 1;
    return ESCAPED_SHORT.has(code) ? 2 : MOST_BYTES;
  }
  if (code < 0x800) return 2;
  if (code > 0xffff) return 4;
  return code >= 0xd800 && code <= 0xdfff ? MOST_BYTES : 3;
}

/** Whether a text has more bytes than this; of most their length says enough. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
