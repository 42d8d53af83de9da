/** 128 random bits as text. Drawn in bulk: drawing one at a time costs as much as reading a call's message. */
const BATCH = 256;
const BYTES = 16;
let batch = '';
let next = 0;

export function correlationId(): string {
  if (next >= batch.length) {
    batch = Buffer.from(crypto.getRandomValues(new Uint8Array(BATCH * BYTES))).toString('hex');
    next = 0;
  }
  return batch.slice(next, (next += BYTES * 2));
}
