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
  /** Returns the whole text after the last chunk, and undefined before that. After a fault the series is dropped. */
  add(chunk: ChunkFrame): { readonly text: string } | FrameFault | undefined;
  /** Bytes of incomplete frames. */
  readonly heldBytes: number;
  /** Drops everything, because the sender disconnected. */
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
          `Expected chunk ${next} of ${shown(id)}, got chunk ${index}. Send the frame again from chunk 0.`,
        );
      if (index >= limits.maxChunks)
        return fault(id, 'chunk_too_many', `A frame may have at most ${limits.maxChunks} chunks.`);
      if (!open.has(id) && !isLast && open.size >= limits.maxOpenChunked)
        return fault(
          id,
          'chunk_too_many_open',
          `At most ${limits.maxOpenChunked} frames may be sent in chunks at a time.`,
        );
      const bytes = Buffer.byteLength(data);
      if (heldBytes + bytes > limits.maxJoinedBytes)
        return fault(
          id,
          'chunk_too_large',
          `The chunks of all incomplete frames may have at most ${limits.maxJoinedBytes} bytes.`,
        );
      const series = open.get(id) ?? { pieces: [], bytes: 0 };
      series.pieces.push(data);
      if (isLast) {
        forget(id);
        return { text: series.pieces.join('') };
      }
      if (budget?.take(bytes) === false)
        return fault(
          id,
          'chunk_too_large',
          'The chunks of all apps together exceed the limit. Send the frame again later.',
        );
      series.bytes += bytes;
      heldBytes += bytes;
      open.set(id, series);
      return undefined;
    },
  };
}

/**
 * Returns a text that fits unchanged. Each chunk has at most `maxBytes` in UTF-8, and no character is cut.
 * `id` separates the chunks of texts that are sent at the same time.
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

/** The most bytes of one character in JSON: `\u0000`. */
const MOST_BYTES = 6;
const ESCAPED_SHORT: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c]);

/** The bytes of a character in a JSON string, as JSON.stringify writes it. */
function bytesInJson(code: number): number {
  if (code < 0x80) {
    if (code >= 0x20 && code !== 0x22 && code !== 0x5c) return 1;
    return ESCAPED_SHORT.has(code) ? 2 : MOST_BYTES;
  }
  if (code < 0x800) return 2;
  if (code > 0xffff) return 4;
  return code >= 0xd800 && code <= 0xdfff ? MOST_BYTES : 3;
}

/** Whether a text has more bytes than this. The length usually decides it without counting bytes. */
export const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);

/** A limit on the bytes that are held for all senders together. */
export interface ByteBudget {
  /** Returns false and takes nothing if there is no room. */
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
