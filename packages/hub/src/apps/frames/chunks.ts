/** Joins the chunks of one sender, and cuts long frames into chunks. */
import {
  FRAME_FORM,
  shown,
  type ChunkFrame,
  type FrameFault,
  type FrameFaultCode,
  type FrameLimits,
} from './frame.ts';

type ChunkLimits = Pick<FrameLimits, 'maxJoinedBytes'> & {
  readonly [name in 'maxChunks' | 'maxOpenChunked']: number;
};

export interface Chunks {
  /** The whole text after its last chunk, until then nothing. A series with a fault is forgotten. */
  add(chunk: ChunkFrame): { readonly text: string } | FrameFault | undefined;
  /** Bytes of what is not whole yet. */
  readonly heldBytes: number;
  /** The sender has gone. */
  clear(): void;
}

interface Series {
  readonly pieces: string[];
  bytes: number;
}

export function createChunks(
  given: Pick<FrameLimits, 'maxJoinedBytes'> & Partial<ChunkLimits>,
  budget?: ByteBudget,
): Chunks {
  const limits: ChunkLimits = { ...FRAME_FORM, ...given };
  const open = new Map<string, Series>();
  let heldBytes = 0;

  const forget = (id: string): void => {
    const bytes = open.get(id)?.bytes ?? 0;
    heldBytes -= bytes;
    budget?.give(bytes);
    open.delete(id);
  };
  const fault = (id: string, code: FrameFaultCode, message: string): FrameFault => {
    forget(id);
    return { code, message };
  };

  return {
    get heldBytes() {
      return heldBytes;
    },
    clear() {
      for (const id of open.keys()) forget(id);
    },
    add({ id, index, isLast, data }) {
      const next = open.get(id)?.pieces.length ?? 0;
      if (index !== next)
        return fault(
          id,
          'chunk_out_of_order',
          `Chunk ${index} of ${shown(id)} came where chunk ${next} was due. Send it again from chunk 0.`,
        );
      if (index >= limits.maxChunks)
        return fault(id, 'chunk_too_many', `A frame has at most ${limits.maxChunks} chunks.`);
      if (!open.has(id) && !isLast && open.size >= limits.maxOpenChunked)
        return fault(
          id,
          'chunk_too_many_open',
          `At most ${limits.maxOpenChunked} frames are sent in chunks at once.`,
        );
      const bytes = Buffer.byteLength(data);
      if (heldBytes + bytes > limits.maxJoinedBytes)
        return fault(
          id,
          'chunk_too_large',
          `All chunks of frames that are not whole yet have at most ${limits.maxJoinedBytes} bytes.`,
        );
      const series = open.get(id) ?? { pieces: [], bytes: 0 };
      series.pieces.push(data);
      if (isLast) {
        forget(id);
        return { text: series.pieces.join('') };
      }
      if (budget?.take(bytes) === false)
        return fault(id, 'chunk_too_large', 'All apps together have sent as much in chunks as they may.');
      series.bytes += bytes;
      heldBytes += bytes;
      open.set(id, series);
      return undefined;
    },
  };
}

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

/** Bytes that all senders together may have held for them. */
export interface ByteBudget {
  /** False: there is no room, and nothing was taken. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

export function createByteBudget(limit: number): ByteBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > limit) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}
