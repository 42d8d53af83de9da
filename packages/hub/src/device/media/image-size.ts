/** How large a picture is, by its own words. */
import type { Size } from './pixels.ts';

/** Undefined: it is neither a PNG nor a JPEG, or not all of one. */
export const imageSize = (bytes: Buffer): Size | undefined =>
  bytes.length < 24 ? undefined : (pngSize(bytes) ?? jpegSize(bytes));

const pngSize = (bytes: Buffer): Size | undefined =>
  bytes.toString('latin1', 1, 4) === 'PNG' && bytes.toString('latin1', 12, 16) === 'IHDR'
    ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    : undefined;

/** Segments follow one another, each with its length; a start of frame says how large it is (ITU T.81, B.2.2). */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return undefined;
}
