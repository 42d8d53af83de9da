import type { ByteText } from './byte-text.ts';
import { LineReader } from './line-reader.ts';

export interface SseEvent {
  event: string;
  data: ByteText;
  id: string | undefined;
}

export interface SseReaderOptions {
  /** Limit of one line and of one event's data. */
  maxBytes: number;
  onEvent(event: SseEvent): void;
  onOverflow(): void;
  /** Called with the reconnection delay that the server sends (`retry:`). */
  onRetry?(milliseconds: number): void;
}

const DIGITS = /^\d{1,9}$/;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** Reads server-sent events from chunks, as the HTML standard (§9.2) frames them; LF, CRLF and CR end a line. */
export class SseReader {
  #event = 'message';
  #data: ByteText[] = [];
  #size = 0;
  /** Id of the event being read; it stays in force until another id arrives. */
  #id: string | undefined;
  #lastId: string | undefined;
  #endedInCr = false;
  #isFirst = true;
  readonly #options: SseReaderOptions;
  readonly #lines: LineReader;

  constructor(options: SseReaderOptions) {
    this.#options = options;
    this.#lines = new LineReader({
      maxBytes: options.maxBytes,
      onLine: (line) => this.#line(line),
      onOverflow: options.onOverflow,
    });
  }

  /** The id of the last complete event, even one without data: where to resume. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  push(chunk: ByteText): void {
    if (chunk === '') return;
    let text = this.#endedInCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    this.#endedInCr = chunk.endsWith('\r');
    if (text.includes('\r')) text = text.replaceAll(/\r\n?/g, '\n');
    this.#lines.push(text);
  }

  #line(line: ByteText): void {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (line === '') this.#dispatch();
    else this.#field(isFirst && line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line);
  }

  #field(line: ByteText): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'data') this.#append(value);
    else if (name === 'event') this.#event = value === '' ? 'message' : value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && DIGITS.test(value)) this.#options.onRetry?.(Number(value));
  }

  #append(value: ByteText): void {
    this.#data.push(value);
    this.#size += value.length + 1;
    if (this.#size <= this.#options.maxBytes) return;
    this.#reset();
    this.#options.onOverflow();
  }

  #dispatch(): void {
    const event = { event: this.#event, data: this.#data.join('\n'), id: this.#id };
    this.#lastId = this.#id;
    const isEmpty = this.#data.length === 0;
    this.#reset();
    if (!isEmpty) this.#options.onEvent(event);
  }

  #reset(): void {
    this.#event = 'message';
    this.#data = [];
    this.#size = 0;
  }
}
