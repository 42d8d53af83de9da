/** A request as bytes, correct except for what a test changes. */

export interface Endpoint {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly path: string;
  readonly token: string;
  /** Header lines that every request to this address needs. */
  readonly lines?: readonly string[];
}

export interface Changes {
  method?: string;
  target?: string;
  version?: string;
  /** Replaces the default headers, by lower-case name; undefined removes one. */
  headers?: Record<string, string | undefined>;
  /** Additional raw header lines. */
  lines?: readonly string[];
  /** What follows the head, if it is not just the body. */
  sent?: string;
}

export const hostOf = ({ origin }: Endpoint): string => new URL(origin).host;
export const portOf = ({ origin }: Endpoint): string => new URL(origin).port;

export function requestText(endpoint: Endpoint, body: string, changes: Changes = {}): string {
  const { method = 'POST', target = endpoint.path, version = 'HTTP/1.1', lines = [], sent = body } = changes;
  const headers: Record<string, string | undefined> = {
    host: hostOf(endpoint),
    authorization: `Bearer ${endpoint.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(Buffer.byteLength(body)),
    ...changes.headers,
  };
  const head = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const first = `${method} ${target} ${version}`;
  return `${[first, ...head, ...(endpoint.lines ?? []), ...lines].join('\r\n')}\r\n\r\n${sent}`;
}

export const chunkedText = (body: string): string =>
  `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** Headers of a chunked body. */
export const CHUNKED = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
