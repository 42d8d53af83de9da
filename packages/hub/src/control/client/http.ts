/**
 * One HTTP request to the hub on its own connection. Written over a socket, because loading node:http takes longer than
 * the request itself. With HTTP/1.0 the answer ends with the connection, so it is never chunked.
 */
import { connect } from 'node:net';
import { PincerError } from '../../core/errors.ts';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly token: string;
  readonly body?: ByteText | undefined;
  readonly accept?: string | undefined;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** After this time the connection is closed, which cancels the request. */
  readonly timeoutMs?: number | undefined;
  /** Aborting closes the connection, which cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called with every piece of the body as it arrives. */
  onData?(piece: ByteText, head: ResponseHead): void;
}

export interface HttpResponse extends ResponseHead {
  readonly body: ByteText;
}

export function request(options: HttpRequest): Promise<HttpResponse> {
  const { hostname, port, host, pathname, search } = new URL(options.url);
  const body = options.body ?? '';
  const extra = Object.entries(options.headers ?? {})
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(onTimeout, options.timeoutMs);
    let head: ResponseHead | undefined;
    let received: ByteText = '';
    let isConnected = false;

    function finish(failure?: PincerError): void {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      socket.destroy();
      if (failure !== undefined) reject(failure);
      else resolve({ ...head!, body: received });
    }
    function onTimeout(): void {
      finish(new PincerError('CALL_TIMEOUT', `No answer within ${options.timeoutMs} ms.`));
    }
    function onAbort(): void {
      finish(new PincerError('CALL_CANCELLED', 'Cancelled.', { data: { sent: isConnected } }));
    }
    function onLost(reason: string): void {
      const hint = 'Check the hub: pincer doctor';
      const message = isConnected
        ? `The hub at ${host} ended before it answered${reason}.`
        : `The hub at ${host} cannot be reached${reason}.`;
      finish(new PincerError('HUB_UNREACHABLE', message, { hint, data: { sent: isConnected } }));
    }
    function onText(text: ByteText): void {
      let piece = text;
      if (head === undefined) {
        received += text;
        const parsed = parseHead(received);
        if (parsed === undefined) return;
        ({ head, rest: piece } = parsed);
        received = '';
      }
      received += piece;
      if (piece !== '') options.onData?.(piece, head);
      if (head.length !== undefined && received.length >= head.length) finish();
    }

    if (options.signal?.aborted === true) return onAbort();
    options.signal?.addEventListener('abort', onAbort);
    socket.setEncoding('latin1');
    socket.once('connect', () => {
      isConnected = true;
      socket.write(
        `${options.method} ${pathname}${search} HTTP/1.0\r\nHost: ${host}\r\n` +
          `Authorization: Bearer ${options.token}\r\nAccept: ${options.accept ?? 'application/json'}\r\n` +
          `${extra}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        'latin1',
      );
    });
    socket.on('data', onText);
    socket.once('end', () => (head !== undefined && head.length === undefined ? finish() : onLost('')));
    socket.once('error', (error: NodeJS.ErrnoException) => onLost(` (${error.code ?? error.message})`));
  });
}

interface ResponseHead {
  readonly status: number;
  /** Content-Type without its parameters. */
  readonly type: string;
  /** Content-Length. If absent, the body ends with the connection. */
  readonly length: number | undefined;
}

/** Parses the head of an HTTP answer. Returns undefined while it is incomplete. */
export function parseHead(text: ByteText): { head: ResponseHead; rest: ByteText } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = headers.get('content-length');
  return {
    head: {
      status: Number(statusLine.split(' ')[1]),
      type: (headers.get('content-type') ?? '').split(';')[0]!.trim(),
      length: length === undefined ? undefined : Number(length),
    },
    rest: text.slice(end + 4),
  };
}

export const tokenRefused = (path: string): PincerError =>
  new PincerError('TOKEN_INVALID', `The hub does not accept the token in ${path}.`, {
    hint: 'Try again in a moment. If that does not help, stop the hub, then start it: pincer up',
  });
