import type { ByteText } from '../../core/wire/byte-text.ts';

export interface ResponseHead {
  readonly status: number;
  /** Content-Type without its parameters. */
  readonly type: string;
  /** Content-Length; absent: the body ends with the connection. */
  readonly length: number | undefined;
}

/** The head of an HTTP answer and what follows it; undefined while the head is incomplete. */
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
