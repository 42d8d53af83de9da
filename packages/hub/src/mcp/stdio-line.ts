/** The lines from and to one client. Reading pauses while the client does not read its answers. */
import type { Duplex } from 'node:stream';
import type { Limits } from '../core/limits.ts';
import { RPC } from '../core/protocol.ts';
import { asBytes, oneLine, type ByteText } from '../core/wire/byte-text.ts';
import { LineReader } from '../core/wire/line-reader.ts';
import { errorText, QUESTION_SLACK, type Outlet } from './reply.ts';

export class StdioLine implements Outlet {
  readonly #stream: Duplex;
  readonly #maxUnsent: number;
  readonly #onLine: (line: ByteText) => void;
  /** Lines of the same chunk that wait until the client has read its answers. */
  readonly #unread: ByteText[] = [];

  constructor(stream: Duplex, limits: Limits, onLine: (line: ByteText) => void) {
    this.#stream = stream;
    this.#maxUnsent = limits.maxUnsentToClientBytes;
    this.#onLine = onLine;
    const { maxMessageBytes: maxBytes } = limits;
    const message = `The line is longer than ${maxBytes} bytes.`;
    const lines = new LineReader({
      maxBytes,
      onLine: (line) => this.#read(line),
      onOverflow: () => this.write(errorText(undefined, { code: RPC.invalidRequest, message, status: 413 })),
    });
    stream.on('data', (chunk: Buffer) => lines.push(chunk.toString('latin1')));
  }

  write(text: ByteText): void {
    if (!this.#stream.writable) return;
    this.#stream.write(`${asBytes(oneLine(text))}\n`, 'latin1', this.#onWritten);
    if (this.#isSlow()) this.#stream.pause();
  }

  notify(text: ByteText): void {
    if (!this.#isSlow()) this.write(text);
  }

  ask(text: ByteText): boolean {
    if (!this.#stream.writable || this.#stream.writableLength > QUESTION_SLACK * this.#maxUnsent)
      return false;
    this.write(text);
    return true;
  }

  #isSlow(): boolean {
    return this.#stream.writableLength > this.#maxUnsent;
  }

  #read(line: ByteText): void {
    if (this.#isSlow() || this.#unread.length > 0) this.#unread.push(line);
    else this.#onLine(line);
  }

  /** Not on `drain`: the stream emits that only above its own high-water mark. */
  readonly #onWritten = (error?: Error | null): void => {
    if (error || !this.#stream.isPaused()) return;
    while (this.#unread.length > 0 && !this.#isSlow()) this.#onLine(this.#unread.shift()!);
    if (this.#unread.length === 0 && !this.#isSlow()) this.#stream.resume();
  };
}
