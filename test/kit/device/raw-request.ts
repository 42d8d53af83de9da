/** A request as bytes, right in everything but what a test changes. */

export interface Door {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly path: string;
  readonly token: string;
  /** Lines that every request here has. */
  readonly lines?: readonly string[];
}

export interface Changes {
  method?: string;
  target?: string;
  version?: string;
  /** Over the right ones, by the name in lower case; undefined leaves one out. */
  headers?: Record<string, string | undefined>;
  /** Further lines as they are. */
  lines?: readonly string[];
  /** What comes after the head, where it is not the body alone. */
  sent?: string;
}

export const hostOf = ({ origin }: Door): string => new URL(origin).host;
export const portOf = ({ origin }: Door): string => new URL(origin).port;

export function requestText(door: Door, body: string, changes: Changes = {}): string {
  const { method = 'POST', target = door.path, version = 'HTTP/1.1', lines = [], sent = body } = changes;
  const headers: Record<string, string | undefined> = {
    host: hostOf(door),
    authorization: `Bearer ${door.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...changes.headers,
  };
  const head = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const first = `${method} ${target} ${version}`;
  return `${[first, ...head, ...(door.lines ?? []), ...lines].join('\r\n')}\r\n\r\n${sent}`;
}

export const chunkedText = (body: string): string =>
  `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Headers of a body in chunks. */
export const CHUNKED = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
