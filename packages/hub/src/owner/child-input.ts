/**
 * A child's stdin. The hot path of every stdio call: what one tick writes is collected and leaves as one write,
 * since a system call costs more than everything else that happens to a small message here.
 */
import type { Writable } from 'node:stream';
import type { ByteText } from '../core/wire/byte-text.ts';

export interface ChildInput {
  /** False: full or closed. When full, `onDrain` follows. */
  write(text: ByteText): boolean;
  readonly unsent: number;
  /** Sends what is collected, then the end. */
  end(): void;
}

export interface InputEvents {
  onDrain(): void;
  /** The child does not read any more. */
  onBroken(): void;
}

export function createInput(stream: Writable, events: InputEvents): ChildInput {
  const highWaterMark = stream.writableHighWaterMark;
  let collected = '';
  let owesDrain = false;

  const drained = (): void => {
    if (!owesDrain) return;
    owesDrain = false;
    events.onDrain();
  };

  const flush = (): void => {
    if (collected === '') return;
    const text = collected;
    collected = '';
    // True although `write` below said false: the pipe emptied in between, and the stream will emit no drain.
    if (stream.writable && stream.write(text, 'latin1')) drained();
  };

  stream.on('drain', drained);
  stream.on('error', () => events.onBroken());

  return {
    write: (text) => {
      if (!stream.writable) return false;
      if (collected === '') queueMicrotask(flush);
      collected += text;
      if (collected.length + stream.writableLength < highWaterMark) return true;
      owesDrain = true;
      return false;
    },
    get unsent() {
      return stream.destroyed ? 0 : collected.length + stream.writableLength;
    },
    end: () => {
      flush();
      stream.end();
    },
  };
}
