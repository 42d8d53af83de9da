/** WebSocket text frames of any length. Client frames are masked, one frame per text; server frames are not masked. */

const SHORT = 126;
const LONG = 127;
const TEXT = 1;
const CLOSE = 8;

export interface FrameListener {
  /** `atMs` is the arrival time of its last byte. */
  onText(text: string, atMs: number): void;
  onClose(): void;
}

/** Reads bytes as they arrive. A frame is joined once, when it is complete. */
export function createFrameReader({ onText, onClose }: FrameListener): (bytes: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  return (bytes) => {
    const atMs = performance.now();
    parts.push(bytes);
    size += bytes.length;
    for (;;) {
      const whole = sizeOfFirst(headOf(parts));
      if (whole === undefined || size < whole) return;
      const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      parts = all.length === whole ? [] : [all.subarray(whole)];
      size -= whole;
      const kind = all[0]! & 15;
      if (kind === CLOSE) return onClose();
      if (kind === TEXT) onText(bodyOf(all.subarray(0, whole)), atMs);
    }
  };
}

/** The longest header has two bytes, eight of length and four of mask. */
const HEAD_BYTES = 14;

function headOf(parts: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = parts;
  return first.length >= HEAD_BYTES ? first : Buffer.concat(parts).subarray(0, HEAD_BYTES);
}

function sizeOfFirst(head: Buffer): number | undefined {
  if (head.length < HEAD_BYTES && head.length < 2) return undefined;
  const short = head[1]! & 127;
  if (short < SHORT) return 6 + short;
  if (head.length < 10) return undefined;
  return short === SHORT ? 8 + head.readUInt16BE(2) : 14 + Number(head.readBigUInt64BE(2));
}

/** Unmasks in place. */
function bodyOf(frame: Buffer): string {
  const short = frame[1]! & 127;
  const begin = short < SHORT ? 2 : short === SHORT ? 4 : 10;
  const body = frame.subarray(begin + 4);
  const mask = frame.subarray(begin, begin + 4);
  for (let at = 0; at < body.length; at++) body[at]! ^= mask[at & 3]!;
  return body.toString();
}

export function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(body.length < SHORT ? 2 : body.length < 65_536 ? 4 : 10);
  head[0] = 0x80 | TEXT;
  if (head.length === 2) head[1] = body.length;
  else if (head.length === 4) {
    head[1] = SHORT;
    head.writeUInt16BE(body.length, 2);
  } else {
    head[1] = LONG;
    head.writeBigUInt64BE(BigInt(body.length), 2);
  }
  return Buffer.concat([head, body]);
}
