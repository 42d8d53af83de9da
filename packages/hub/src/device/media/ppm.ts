/** Portable pixmaps: what screen programs write that leave the encoding to others. A header of text, then the pixels. */
import type { Pixels } from './pixels.ts';

/** `P6`, width, height and the largest value, with blanks and comments between them, and one blank before the pixels. */
const HEADER = /^P6(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+255\s/;
const MAX_HEADER_BYTES = 512;

/** Undefined: it is no such picture, or not all of one. */
export function readPpm(bytes: Buffer): Pixels | undefined {
  const header = HEADER.exec(bytes.toString('latin1', 0, MAX_HEADER_BYTES));
  if (header === null) return undefined;
  const [width, height] = [Number(header[1]), Number(header[2])];
  const begin = header[0].length;
  const end = begin + width * height * 3;
  if (width === 0 || height === 0 || bytes.length < end) return undefined;
  return { width, height, channels: 3, data: bytes.subarray(begin, end) };
}
