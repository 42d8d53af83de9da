/** An answer of megabytes, in which the same piece may stand several times: none is copied more than once. */
import type { ServerResponse } from 'node:http';
import { asBytes, type ByteText } from '../../core/wire/byte-text.ts';

export function sendPieces(response: ServerResponse, pieces: readonly ByteText[]): void {
  const bytesOf = new Map<ByteText, Buffer>();
  const toSend = (piece: ByteText): Buffer => {
    const bytes = bytesOf.get(piece) ?? Buffer.from(asBytes(piece), 'latin1');
    bytesOf.set(piece, bytes);
    return bytes;
  };
  response.cork();
  for (const piece of pieces) response.write(toSend(piece));
  response.end();
  response.uncork();
}
