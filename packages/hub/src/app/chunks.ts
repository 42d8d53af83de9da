/** Long frames in pieces, in both directions. */
import { isLonger } from './encoding.ts';

/** `{"type":"chunk","id":"…","index":4096,"isLast":false,"data":""}`, with some room. */
const FRAME_ROOM = 256;
/** What one unit of a JSON text takes at most inside of a JSON string, in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** The text itself where it is short enough, else chunks of at most `maxBytes` that can be joined again. */
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

/** Half of a surrogate pair is no text. */
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
  /** The whole text after its last chunk, until then nothing. A series that is out of order is forgotten. */
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
