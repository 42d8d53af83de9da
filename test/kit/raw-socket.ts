/** A TCP connection to the hub on which the test writes every byte of HTTP itself. */
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  status: number;
  head: string;
  body: string;
}

export interface RawSocket extends AsyncDisposable {
  write(bytes: string | Buffer): void;
  /** The next response; undefined if the connection ended instead. */
  response(): Promise<RawResponse | undefined>;
  readonly isClosed: boolean;
  socket: Socket;
}

/** A generous timeout for a hang. */
const RESPONSE_MS = 30_000;

export async function openRaw(origin: string): Promise<RawSocket> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let received = '';
  let isClosed = false;
  let wake = (): void => {};
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    wake();
  });
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    async response() {
      const end = performance.now() + RESPONSE_MS;
      for (;;) {
        const found = cutResponse(received, isClosed);
        if (found !== undefined) {
          received = found.rest;
          return found.response;
        }
        if (isClosed) return undefined;
        if (performance.now() > end) throw new Error(`no response: ${received.slice(0, 500)}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 100);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    get isClosed() {
      return isClosed;
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}

function cutResponse(text: string, isClosed: boolean): { response: RawResponse; rest: string } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const head = text.slice(0, headEnd);
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0);
  const after = text.slice(headEnd + 4);
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length !== undefined) {
    const size = Number(length);
    if (after.length < size) return undefined;
    return { response: { status, head, body: after.slice(0, size) }, rest: after.slice(size) };
  }
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const end = /(?:^|\r\n)0\r\n\r\n/.exec(after);
    if (end === null) return undefined;
    const size = end.index + end[0].length;
    return { response: { status, head, body: after.slice(0, size) }, rest: after.slice(size) };
  }
  if (status === 204 || status < 200) return { response: { status, head, body: '' }, rest: after };
  return isClosed ? { response: { status, head, body: after }, rest: '' } : undefined;
}

/** The text of a POST; additional header lines follow the default ones. */
export function postText(hub: { origin: string; token: string }, body: string, lines: string[] = []): string {
  const length = Buffer.byteLength(body);
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: ${new URL(hub.origin).host}`,
    `Authorization: Bearer ${hub.token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...(lines.some((line) => /^(?:content-length|transfer-encoding):/i.test(line))
      ? []
      : [`Content-Length: ${length}`]),
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
