/** Reads and writes HTTP on a raw socket, as a server. */
import type { Socket } from 'node:net';
import type { Outgoing, Size } from './outgoing.ts';

export interface HttpRequest {
  verb: string;
  head: string;
  body: string;
  /** Size of head and body together. */
  size: number;
}

/** The request at the beginning of these bytes, if it is complete. */
export function readRequest(bytes: string): HttpRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.slice(0, headEnd);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const size = headEnd + 4 + length;
  if (bytes.length < size) return undefined;
  return { verb: head.slice(0, head.indexOf(' ')), head, body: bytes.slice(headEnd + 4, size), size };
}

/** One HTTP response, with the framing that its server uses. */
export class HttpAnswer {
  isDone = false;
  /** Called when the hub closes the connection before the end. */
  onAbandoned: () => void = () => {};
  readonly #socket: Socket;
  readonly #out: Outgoing;
  /** Whether the body ends by its length or chunks; otherwise it ends with the connection. */
  readonly #isFramed: boolean;
  readonly #size: Size;

  // oxlint-disable-next-line max-params -- one response is all of this
  constructor(socket: Socket, out: Outgoing, isFramed: boolean, size: Size) {
    this.#socket = socket;
    this.#out = out;
    this.#isFramed = isFramed;
    this.#size = size;
  }

  status(status: number, text = ''): void {
    this.#write(`HTTP/1.1 ${status} X\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    this.#finish();
  }

  json(text: string, header: string): void {
    const framing = this.#isFramed ? `content-length: ${text.length}\r\n` : 'connection: close\r\n';
    this.#write(`HTTP/1.1 200 X\r\ncontent-type: application/json\r\n${header}${framing}\r\n${text}`);
    this.#size.marks.push(this.#out.sent);
    this.#finish();
    if (!this.#isFramed) this.#socket.destroySoon();
  }

  open(): void {
    const framing = this.#isFramed ? 'transfer-encoding: chunked\r\n' : 'connection: close\r\n';
    this.#write(`HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n${framing}\r\n`);
  }

  event(event: string): void {
    const before = this.#isFramed ? `${event.length.toString(16)}\r\n` : '';
    this.#write(before + event);
    this.#size.marks.push(this.#out.sent);
    if (this.#isFramed) this.#write('\r\n');
  }

  end(): void {
    if (this.#isFramed) this.#write('0\r\n\r\n');
    else this.#socket.destroySoon();
    this.#finish();
  }

  #write(bytes: string): void {
    this.#out.write(bytes);
    this.#size.out = this.#out.sent;
  }

  #finish(): void {
    this.isDone = true;
  }
}
