/** One HTTP request, written byte by byte, and the bytes of its response so far. */
import { connect, type Socket } from 'node:net';

export interface StreamEvent {
  id: string | undefined;
  data: string;
}

export interface RawStream extends Disposable {
  /** The received bytes. */
  readonly received: string;
  readonly isClosed: boolean;
  socket: Socket;
  /** Resolves when the condition holds, or when no more bytes can arrive. */
  until(holds: (received: string) => boolean): Promise<void>;
}

/** A generous timeout for a hang. */
const HANG_MS = 30_000;

/** Resolves after the bytes were sent. */
export async function openRawStream(origin: string, bytes: string): Promise<RawStream> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let received = '';
  let isClosed = false;
  let look = (): void => {};
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    look();
  });
  socket.on('close', () => {
    isClosed = true;
    look();
  });
  await new Promise<void>((resolve) => socket.write(bytes, 'latin1', () => resolve()));
  return {
    get received() {
      return received;
    },
    get isClosed() {
      return isClosed;
    },
    socket,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`hangs after ${received}`)), HANG_MS);
        look = () => {
          if (!isClosed && !holds(received)) return;
          clearTimeout(timer);
          look = () => {};
          resolve();
        };
        look();
      }),
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** The complete events in these bytes. */
export function eventsIn(received: string): StreamEvent[] {
  const blocks = bodyIn(received).split('\n\n');
  // Text after the last empty line is not a complete event.
  return blocks.slice(0, -1).flatMap((block) => {
    const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
    const data = field('data');
    return data === undefined ? [] : [{ id: field('id'), data }];
  });
}

export const lastIdIn = (received: string): string | undefined =>
  eventsIn(received).findLast(({ id }) => id !== undefined)?.id;

/** Whether the response is complete, chunked or with a length. */
export function hasEnded(received: string): boolean {
  const head = received.slice(0, received.indexOf('\r\n\r\n') + 4);
  const length = /^content-length: (\d+)\r$/im.exec(head)?.[1];
  return length === undefined
    ? received.endsWith('\r\n0\r\n\r\n')
    : received.length >= head.length + Number(length);
}

/** The decoded part of a chunked body. */
function bodyIn(received: string): string {
  let rest = received.slice(received.indexOf('\r\n\r\n') + 4);
  if (!received.includes('\r\n\r\n')) return '';
  let body = '';
  for (;;) {
    const end = rest.indexOf('\r\n');
    const size = end === -1 ? 0 : Number.parseInt(rest.slice(0, end), 16);
    if (size === 0) return body;
    body += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}
