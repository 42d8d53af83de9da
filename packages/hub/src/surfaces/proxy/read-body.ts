import type { IncomingMessage } from 'node:http';
import type { ByteText } from '../../core/wire/byte-text.ts';

/** Why a body was not read. */
export interface BodyRefusal {
  readonly status: 408 | 413;
  /** Goes on after `The body`. */
  readonly reason: string;
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** Undefined: whoever sent it has gone. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<ByteText | BodyRefusal | undefined> {
  const tooLarge: BodyRefusal = { status: 413, reason: `has more than ${maxBytes} bytes` };
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => resolve({ status: 408, reason: 'took too long to arrive' }), timeoutMs);
    const end = (read: ByteText | BodyRefusal | undefined): void => {
      clearTimeout(timer);
      resolve(read);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) end(tooLarge);
      else chunks.push(chunk);
    });
    request.on('end', () => end(Buffer.concat(chunks).toString('latin1')));
    request.on('close', () => end(undefined));
  });
}
