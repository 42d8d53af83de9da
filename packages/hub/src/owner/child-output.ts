/** A child's stdout. */
import type { Readable } from 'node:stream';
import type { ByteText } from '../core/wire/byte-text.ts';

export interface ChildOutput {
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  /** The child is gone: reads what is left in the pipe, and keeps it for a receiver that has paused. */
  drain(): void;
  /** Nothing is delivered any more. */
  close(): void;
}

export interface OutputEvents {
  onChunk(chunk: ByteText): void;
  onEnd(): void;
}

export function readOutput(stream: Readable, events: OutputEvents): ChildOutput {
  let paused = false;
  let draining = false;
  let held = '';

  const deliver = (chunk: Buffer): void => {
    const text = chunk.toString('latin1');
    if (paused) held += text;
    else events.onChunk(text);
  };
  stream.on('data', deliver);
  stream.once('end', () => events.onEnd());
  // A read error is followed by the close, and that is all anybody needs to know.
  stream.on('error', () => {});

  return {
    get paused() {
      return paused;
    },
    pause: () => {
      paused = true;
      if (!draining) stream.pause();
    },
    resume: () => {
      paused = false;
      const text = held;
      held = '';
      if (text !== '') events.onChunk(text);
      // The receiver of what was held may have paused again.
      if (!paused) stream.resume();
    },
    drain: () => {
      draining = true;
      stream.resume();
    },
    close: () => {
      stream.off('data', deliver);
      held = '';
      stream.destroy();
    },
  };
}
