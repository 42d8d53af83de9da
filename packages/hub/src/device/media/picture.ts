/** Pictures: pixels as captured, sizes and formats, and readers of PPM, PNG and JPEG headers. */

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three: red, green, blue. Four: also alpha, which is opaque for a screen. */
  readonly channels: 3 | 4;
  /** Rows from top to bottom, one byte per channel, without gaps. */
  readonly data: Buffer;
}

type PictureFormat = 'png' | 'jpeg';

export interface Picture {
  readonly format: PictureFormat;
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/** The requested form of a picture. */
export interface PictureOptions {
  readonly format: PictureFormat;
  /** Wider pictures are scaled down. Pictures are never scaled up. */
  readonly maxWidth: number;
  /** Quality of a JPEG, 1 to 100. */
  readonly quality: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size scaled down to `maxWidth`, with the same aspect ratio. */
export function fitWidth({ width, height }: Size, maxWidth: number): Size {
  if (width <= maxWidth) return { width, height };
  return { width: maxWidth, height: Math.max(1, Math.round((height * maxWidth) / width)) };
}

export const mimeTypeOf = (format: PictureFormat): `image/${PictureFormat}` => `image/${format}`;

/** Undefined if there is no such format. */
export function pictureFormat(name: string): 'png' | 'jpeg' | undefined {
  const asked = name.trim().toLowerCase();
  if (asked === 'png' || asked === '') return 'png';
  return asked === 'jpeg' || asked === 'jpg' ? 'jpeg' : undefined;
}

/** Undefined if it is neither PNG nor JPEG, or incomplete. */
export const imageSize = (bytes: Buffer): Size | undefined =>
  bytes.length < 24 ? undefined : (pngSize(bytes) ?? jpegSize(bytes));

const pngSize = (bytes: Buffer): Size | undefined =>
  bytes.toString('latin1', 1, 4) === 'PNG' && bytes.toString('latin1', 12, 16) === 'IHDR'
    ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    : undefined;

/** Segments follow one another, each with its length. A start of frame contains the size (ITU T.81, B.2.2). */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return undefined;
}

/** `P6`, width, height and the largest value, with blanks and comments between them, and one blank before the pixels. */
const HEADER = /^P6(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+255\s/;
const MAX_HEADER_BYTES = 512;

/** Undefined if it is not a PPM, or incomplete. */
export function readPpm(bytes: Buffer): Pixels | undefined {
  const header = HEADER.exec(bytes.toString('latin1', 0, MAX_HEADER_BYTES));
  if (header === null) return undefined;
  const [width, height] = [Number(header[1]), Number(header[2])];
  const begin = header[0].length;
  const end = begin + width * height * 3;
  if (width === 0 || height === 0 || bytes.length < end) return undefined;
  return { width, height, channels: 3, data: bytes.subarray(begin, end) };
}
