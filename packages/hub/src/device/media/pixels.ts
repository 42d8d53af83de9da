/** A picture as it was captured, and as it is sent. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Three: red, green, blue. Four: with transparency, of which a screen has none. */
  readonly channels: 3 | 4;
  /** Rows from top to bottom, one byte per channel, without gaps. */
  readonly data: Buffer;
}

export type PictureFormat = 'png' | 'jpeg';

export interface Picture {
  readonly format: PictureFormat;
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/** What is wanted of a picture. */
export interface PictureWish {
  readonly format: PictureFormat;
  /** A wider one is scaled down; none is scaled up. */
  readonly maxWidth: number;
  /** Of a JPEG, 1 to 100. */
  readonly quality: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The largest size that is not too wide and has the same shape. */
export function fitWidth({ width, height }: Size, maxWidth: number): Size {
  if (width <= maxWidth) return { width, height };
  return { width: maxWidth, height: Math.max(1, Math.round((height * maxWidth) / width)) };
}

export const mimeTypeOf = (format: PictureFormat): `image/${PictureFormat}` => `image/${format}`;
