/** Ids of traces and spans, drawn in bulk: one at a time costs as much as all else that is done for a span. */
const BATCH_BYTES = 4_096;
let batch = '';
let next = 0;

function take(digits: number): string {
  if (next + digits > batch.length) {
    batch = Buffer.from(crypto.getRandomValues(new Uint8Array(BATCH_BYTES))).toString('hex');
    next = 0;
  }
  return batch.slice(next, (next += digits));
}

export const traceId = (): string => take(32);
export const spanId = (): string => take(16);
