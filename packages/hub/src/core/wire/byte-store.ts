/**
 * Bytes of a long line while it comes. Thousands of pieces in the heap take up to three times their size, and go when they are
 * collected; here they take their size, and go at once.
 */
import type { ByteText } from './byte-text.ts';

const STEP = 1024 * 1024;
/** Of a longer text Node makes one outside of the heap, and what is freed there is long kept from the system. */
const PIECE = 512 * 1024;

export interface ByteStore {
  add(text: ByteText): void;
  /** All of it as one text; the store is empty then. */
  take(): ByteText;
  clear(): void;
}

export function createByteStore(maxBytes: number): ByteStore {
  let memory: ArrayBuffer | undefined;
  let size = 0;

  function clear(): void {
    memory?.resize(0);
    memory = undefined;
    size = 0;
  }

  return {
    add(text) {
      memory ??= new ArrayBuffer(0, { maxByteLength: maxBytes });
      const needed = size + text.length;
      if (needed > memory.byteLength) memory.resize(Math.min(maxBytes, Math.ceil(needed / STEP) * STEP));
      Buffer.from(memory, size, text.length).write(text, 'latin1');
      size = needed;
    },
    take() {
      const pieces: ByteText[] = [];
      // From the end, so that what has been taken is given back.
      for (let end = size; end > 0;) {
        const start = Math.floor((end - 1) / PIECE) * PIECE;
        pieces.push(Buffer.from(memory!, start, end - start).toString('latin1'));
        memory!.resize(start);
        end = start;
      }
      clear();
      return pieces.reverse().join('');
    },
    clear,
  };
}
