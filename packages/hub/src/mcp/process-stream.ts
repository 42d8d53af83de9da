/** The standard input and output of this process as one stream. */
import { Duplex } from 'node:stream';

/** `endMark`: the line that stands for the end of the input. Answers that are still owed are given first. */
export function processStream(endMark: string): Duplex {
  const { stdin, stdout } = process;
  const stream = new Duplex({
    // A piece of a pipe is as large as this; the bytes wait in the pipe, not here.
    readableHighWaterMark: 64 * 1024,
    decodeStrings: false,
    read: () => stdin.resume(),
    write(chunk: Buffer | string, encoding, done) {
      // The client's pace is ours: `stdout` calls back when it has taken it.
      if (typeof chunk === 'string') stdout.write(chunk, encoding, done);
      else stdout.write(chunk, done);
    },
    // All answers are given: there is nothing more to read, either.
    final(done) {
      done();
      stream.destroy();
    },
  });
  stdin.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) stdin.pause();
    if (stream.readableLength === 0) giveBack(chunk);
  });
  stdin.once('end', () => stream.push(`\n${endMark}\n`));
  stdin.once('error', () => stream.destroy());
  // Whoever would read an answer has gone.
  stdout.once('error', () => stream.destroy());
  return stream;
}

const LARGE_BYTES = 4 * 1024;

/** A piece that has been read. Of a long line, tens of megabytes of them would wait to be collected. */
function giveBack({ buffer, byteLength }: Buffer): void {
  // Small ones may share their memory with others.
  if (byteLength >= LARGE_BYTES && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0);
}
