/** The standard input and output of this process as one stream. */
import { Duplex } from 'node:stream';

/** `endMark` is the line that marks the end of the input. Answers that are still due are written first. */
export function processStream(endMark: string): Duplex {
  const { stdin, stdout } = process;
  const stream = new Duplex({
    // The size of one read from a pipe: more bytes wait in the pipe, not in memory.
    readableHighWaterMark: 64 * 1024,
    decodeStrings: false,
    read: () => stdin.resume(),
    write(chunk: Buffer | string, encoding, done) {
      // Backpressure: `stdout` calls back when the client has taken the chunk.
      if (typeof chunk === 'string') stdout.write(chunk, encoding, done);
      else stdout.write(chunk, done);
    },
    // All answers were written: stop reading, too.
    final(done) {
      done();
      stream.destroy();
    },
  });
  stdin.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) stdin.pause();
    if (stream.readableLength === 0) release(chunk);
  });
  stdin.once('end', () => stream.push(`\n${endMark}\n`));
  stdin.once('error', () => stream.destroy());
  // The reader of the answers is gone.
  stdout.once('error', () => stream.destroy());
  return stream;
}

const LARGE_BYTES = 4 * 1024;

/**
 * Frees a chunk that was read. While a long line arrives, tens of megabytes of chunks would otherwise wait for the
 * garbage collector.
 */
function release({ buffer, byteLength }: Buffer): void {
  // Small chunks may share their memory with others.
  if (byteLength >= LARGE_BYTES && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0);
}
