/** An answer of megabytes, in which the same piece may stand several times: none is copied more than once. */
import type { ServerResponse } from 'node:http';
import { asBytes, type ByteText } from '../../core/wire/byte-text.ts';

export function sendPieces(response: ServerResponse, pieces: readonly ByteText[]): void {
  const made = new Map<ByteText, Buffer>();
  const bytesOf = (piece: ByteText): Buffer => {
    const bytes = made.get(piece) ?? Buffer.from(asBytes(piece), 'latin1');
    made.set(piece, bytes);
    return bytes;
  };
  const all = pieces.map(bytesOf);
  response.cork();
  for (const bytes of all) response.write(bytes);
  response.end();
  response.uncork();
}
