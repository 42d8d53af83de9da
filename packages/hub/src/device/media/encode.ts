/** Pixels as a picture that can be sent: scaled down and written by sharp, else by what there is. */
import { CommandFailure } from '../registry/failure.ts';
import { shrink } from './box-filter.ts';
import { loadSharp, type Sharp } from './load-sharp.ts';
import { fitWidth, type Picture, type PictureWish, type Pixels } from './pixels.ts';
import { writePng } from './png.ts';

/** Writes a JPEG where sharp is not installed; undefined: nothing here does. */
export type JpegWriter = ((pixels: Pixels, quality: number) => Promise<Buffer | undefined>) | undefined;

export interface EncodeParts {
  load(): Promise<Sharp | undefined>;
  readonly writeJpeg: JpegWriter;
}

/** Level 2 of 9: half as large as level 1 on a screen of text, and a third quicker than the usual 6. */
const PNG_LEVEL = 2;

export async function encodePixels(
  pixels: Pixels,
  wish: PictureWish,
  { load = loadSharp, writeJpeg }: Partial<EncodeParts> = {},
): Promise<Picture> {
  const size = fitWidth(pixels, wish.maxWidth);
  const sharp = await load();
  if (sharp !== undefined)
    return { format: wish.format, ...size, bytes: await encodeBySharp(sharp, pixels, wish) };
  const small = size.width < pixels.width ? await shrink(pixels, wish.maxWidth) : pixels;
  const bytes = wish.format === 'png' ? await writePng(small) : await writeJpeg?.(small, wish.quality);
  if (bytes === undefined) throw noJpeg();
  return { format: wish.format, ...size, bytes };
}

function encodeBySharp(
  sharp: Sharp,
  pixels: Pixels,
  { format, maxWidth, quality }: PictureWish,
): Promise<Buffer> {
  const { width, height, channels, data } = pixels;
  const size = fitWidth(pixels, maxWidth);
  const read = sharp(data, { raw: { width, height, channels }, limitInputPixels: false }).removeAlpha();
  const scaled = size.width < width ? read.resize({ ...size, fit: 'fill' }) : read;
  return (
    format === 'png' ? scaled.png({ compressionLevel: PNG_LEVEL }) : scaled.jpeg({ quality })
  ).toBuffer();
}

const noJpeg = (): CommandFailure =>
  new CommandFailure('Capture failed', {
    hint: 'Nothing here writes JPEG: ask for format png, or install ffmpeg or the npm package sharp.',
    notExecuted: true,
  });
