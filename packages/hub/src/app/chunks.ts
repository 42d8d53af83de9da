/** Cuts long frames into chunks, and joins chunks. */
import { isLonger } from './encoding.ts';

/** Room for `{"type":"chunk","id":"…","index":4096,"isLast":false,"data":""}`. */
const FRAME_ROOM = 256;
/** The most bytes of one UTF-16 unit of JSON text inside a JSON string. */
const MAX_UNIT_BYTES = 3;

/** Returns the text itself if it fits, else chunks of at most `maxBytes`. */
export function cut(text: string, maxBytes: number, id: string): string[] {
  if (!isLonger(text, maxBytes)) return [text];
  const size = Math.max(2, Math.floor((maxBytes - FRAME_ROOM) / MAX_UNIT_BYTES));
  const chunks: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = betweenCharacters(text, from + size);
    const isLast = to >= text.length;
    chunks.push(
      JSON.stringify({ type: 'chunk', id, index: chunks.length, isLast, data: text.slice(from, to) }),
    );
    from = to;
  }
  return chunks;
}

/** Never cuts a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff && at < text.length ? at - 1 : at;
}

export interface Chunk {
  readonly id: string;
  readonly index: number;
  readonly isLast: boolean;
  readonly data: string;
}

export interface Joiner {
  /** Returns the whole text after its last chunk, else undefined. Drops a series that is out of order. */
  add(chunk: Chunk): string | undefined;
}

export function createJoiner(): Joiner {
  const open = new Map<string, string[]>();
  return {
    add({ id, index, isLast, data }) {
      const pieces = open.get(id) ?? [];
      open.delete(id);
      if (index !== pieces.length) return undefined;
      pieces.push(data);
      if (isLast) return pieces.join('');
      open.set(id, pieces);
      return undefined;
    },
  };
}
