import type { IncomingMessage } from 'node:http';
import type { ByteText } from '../../core/wire/byte-text.ts';

export interface BodyLimits {
  readonly maxMessageBytes: number;
  readonly bodyTimeoutMs: number;
}

/** Reads a whole body. `onRefused` is told 413 or 408; nothing at all is told when the client went away. */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  onBody: (body: ByteText) => void,
  onRefused: (status: 408 | 413) => void,
): void {
  if (Number(request.headers['content-length'] ?? 0) > limits.maxMessageBytes) {
    onRefused(413);
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => refuse(408), limits.bodyTimeoutMs);

  function finish(): void {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', finish);
  }
  function refuse(status: 408 | 413): void {
    finish();
    onRefused(status);
  }
  function onData(chunk: Buffer): void {
    size += chunk.length;
    if (size > limits.maxMessageBytes) refuse(413);
    else chunks.push(chunk);
  }
  function onEnd(): void {
    finish();
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    onBody(body.toString('latin1'));
  }
  request.on('data', onData).on('end', onEnd).on('close', finish);
}
