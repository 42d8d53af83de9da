/** Encodes pixels as PNG or JPEG: with sharp, or with ffmpeg and our own PNG writer. */
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, crc32, deflate } from 'node:zlib';
import { loadSharp, type Sharp } from '../../lib/load-sharp.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { runMediaProgram, words } from '../programs/run-program.ts';
import { CommandFailure } from '../registry/capability.ts';
import { fitWidth, type Picture, type PictureOptions, type Pixels } from './picture.ts';

/** Writes JPEG without sharp. Undefined if no program can. */
export type JpegWriter = ((pixels: Pixels, quality: number) => Promise<Buffer | undefined>) | undefined;

interface EncodeParts {
  load(): Promise<Sharp | undefined>;
  readonly writeJpeg: JpegWriter;
}

/** Level 2 of 9: on a screen of text, half the size of level 1, and a third faster than the default 6. */
const PNG_LEVEL = 2;

export async function encodePixels(
  pixels: Pixels,
  options: PictureOptions,
  { load = loadSharp, writeJpeg }: Partial<EncodeParts> = {},
): Promise<Picture> {
  const size = fitWidth(pixels, options.maxWidth);
  const sharp = await load();
  if (sharp !== undefined)
    return { format: options.format, ...size, bytes: await encodeBySharp(sharp, pixels, options) };
  const small = size.width < pixels.width ? await shrink(pixels, options.maxWidth) : pixels;
  const bytes = options.format === 'png' ? await writePng(small) : await writeJpeg?.(small, options.quality);
  if (bytes === undefined) throw noJpeg();
  return { format: options.format, ...size, bytes };
}

function encodeBySharp(
  sharp: Sharp,
  pixels: Pixels,
  { format, maxWidth, quality }: PictureOptions,
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
    hint: 'No program here writes JPEG. Use format png, or install ffmpeg or the npm package sharp.',
    notExecuted: true,
  });

/** Pixels per turn of the event loop: a few milliseconds. */
const PIXELS_PER_TURN = 150_000;

/**
 * Scales pixels down if sharp is not installed: each new pixel is the mean of the pixels that it replaces.
 * Returns three channels.
 */
export async function shrink(pixels: Pixels, maxWidth: number): Promise<Pixels> {
  const { width, height, channels, data } = pixels;
  const size = fitWidth(pixels, maxWidth);
  const made = Buffer.allocUnsafe(size.width * size.height * 3);
  let readInTurn = 0;
  for (let row = 0; row < size.height; row++) {
    const top = Math.floor((row * height) / size.height);
    const bottom = Math.max(top + 1, Math.floor(((row + 1) * height) / size.height));
    for (let column = 0; column < size.width; column++) {
      const left = Math.floor((column * width) / size.width);
      const right = Math.max(left + 1, Math.floor(((column + 1) * width) / size.width));
      const count = (bottom - top) * (right - left);
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let y = top; y < bottom; y++) {
        let at = (y * width + left) * channels;
        for (let x = left; x < right; x++, at += channels) {
          red += data[at]!;
          green += data[at + 1]!;
          blue += data[at + 2]!;
        }
      }
      const to = (row * size.width + column) * 3;
      made[to] = Math.round(red / count);
      made[to + 1] = Math.round(green / count);
      made[to + 2] = Math.round(blue / count);
    }
    readInTurn += (bottom - top) * width;
    if (readInTurn > PIXELS_PER_TURN) {
      readInTurn = 0;
      await setImmediate();
    }
  }
  return { ...size, channels: 3, data: made };
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLOUR_TYPE = { 3: 2, 4: 6 } as const;
const deflateInThread = promisify(deflate);

export async function writePng({ width, height, channels, data }: Pixels): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, COLOUR_TYPE[channels]], 8);
  // Each row begins with the kind of its filter; 0 is none.
  const stride = width * channels;
  const rows = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row++)
    data.copy(rows, row * (stride + 1) + 1, row * stride, (row + 1) * stride);
  const packed = await deflateInThread(rows, { level: constants.Z_BEST_SPEED });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length);
  return made;
}

export const jpegByFfmpeg =
  (ports: DevicePorts): NonNullable<JpegWriter> =>
  async (pixels, quality) => {
    const command = findProgram('ffmpeg', ports.env, ports.platform);
    if (command === undefined) return undefined;
    const { signal } = new AbortController();
    const args = jpegArgs(pixels, quality);
    return (await runMediaProgram(ports, { command, args, input: pixels.data, signal })).stdout;
  };

export const jpegArgs = ({ width, height, channels }: Omit<Pixels, 'data'>, quality: number): string[] => [
  ...words(`-hide_banner -loglevel error -f rawvideo -pix_fmt ${channels === 3 ? 'rgb24' : 'rgba'}`),
  ...words(`-video_size ${width}x${height} -i pipe:0 -frames:v 1 -pix_fmt yuvj420p`),
  ...words(`-c:v mjpeg -q:v ${quantizerOf(quality)} -f image2pipe pipe:1`),
];

/** The quantizer of ffmpeg, from 2 (best) to 31. */
export const quantizerOf = (quality: number): number => Math.round(2 + ((100 - quality) * 29) / 99);
