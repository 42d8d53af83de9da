/** HTTP as a server writes and reads it on a raw socket. */
import type { Socket } from 'node:net';
import type { Outgoing, Size } from './outgoing.ts';

export interface HttpRequest {
  verb: string;
  head: string;
  body: string;
  /** Of head and body together. */
  size: number;
}

/** The request at the beginning of these bytes, if it is there as a whole. */
export function readRequest(bytes: string): HttpRequest | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = bytes.slice(0, headEnd);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  const size = headEnd + 4 + length;
  if (bytes.length < size) return undefined;
  return { verb: head.slice(0, head.indexOf(' ')), head, body: bytes.slice(headEnd + 4, size), size };
}

/** One HTTP response, framed as its server likes. */
export class HttpAnswer {
  isDone = false;
  /** The hub has closed the connection before the end. */
  onAbandoned: () => void = () => {};
  readonly #socket: Socket;
  readonly #out: Outgoing;
  /** The end of a body is told by its length or by chunks; else it is the end of the connection. */
  readonly #isTold: boolean;
  readonly #size: Size;

  // oxlint-disable-next-line max-params -- one response is all of this
  constructor(socket: Socket, out: Outgoing, isTold: boolean, size: Size) {
    this.#socket = socket;
    this.#out = out;
    this.#isTold = isTold;
    this.#size = size;
  }

  status(status: number, text = ''): void {
    this.#write(`HTTP/1.1 ${status} X\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    this.#finish();
  }

  json(text: string, header: string): void {
    const told = this.#isTold ? `content-length: ${text.length}\r\n` : 'connection: close\r\n';
    this.#write(`HTTP/1.1 200 X\r\ncontent-type: application/json\r\n${header}${told}\r\n${text}`);
    this.#size.marks.push(this.#out.sent);
    this.#finish();
    if (!this.#isTold) this.#socket.destroySoon();
  }

  open(): void {
    const told = this.#isTold ? 'transfer-encoding: chunked\r\n' : 'connection: close\r\n';
    this.#write(`HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n${told}\r\n`);
  }

  event(event: string): void {
    const before = this.#isTold ? `${event.length.toString(16)}\r\n` : '';
    this.#write(before + event);
    this.#size.marks.push(this.#out.sent);
    if (this.#isTold) this.#write('\r\n');
  }

  end(): void {
    if (this.#isTold) this.#write('0\r\n\r\n');
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
