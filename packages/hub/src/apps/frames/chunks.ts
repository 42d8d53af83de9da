/** Joins the chunks of one sender. */
import type { ByteBudget } from './byte-budget.ts';
import { shown, type FrameFault, type FrameFaultCode } from './fault.ts';
import type { ChunkFrame } from './frame.ts';
import { FRAME_FORM } from './read-members.ts';
import type { Limits } from '../../core/limits.ts';

/** How large frames may be. */
export type FrameLimits = Pick<Limits, 'maxFrameBytes' | 'maxJoinedBytes'>;

export type ChunkLimits = Pick<FrameLimits, 'maxJoinedBytes'> & {
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
