import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp as Image } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { PincerError } from '../../core/errors.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { loadSharp, type Sharp } from '../../lib/load-sharp.ts';
import { FIT_LIMITS, type FitLimits } from './fit-attachments.ts';
import { IMAGE_READERS, scaleImage } from './scale-image.ts';

const MiB = 1024 * 1024;
let loaded: Sharp;
beforeAll(async () => {
  loaded = (await loadSharp(IMAGE_READERS))!;
});

/** An image that cannot be compressed. */
const noise = (width: number, height: number, channels: 3 | 4 = 3): Image =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } });

const scale = (bytes: Buffer, maxBytes: number, limits: Partial<FitLimits> = {}) =>
  scaleImage(
    bytes,
    { name: 'a.png', maxBytes, limits: { ...DEFAULT_LIMITS, ...FIT_LIMITS, ...limits } },
    loaded,
  );

/** The scaled image, and its metadata. */
async function scaled(bytes: Buffer, maxBytes: number, limits: Partial<FitLimits> = {}) {
  const made = await scale(bytes, maxBytes, limits);
  const head = await sharp(made.bytes).metadata();
  expect(made.bytes.length).toBeLessThanOrEqual(maxBytes);
  expect(head).toMatchObject({
    format: made.after.format,
    width: made.after.width,
    height: made.after.height,
  });
  return { ...made, head };
}

async function refusal(bytes: Buffer, maxBytes: number, limits: Partial<FitLimits> = {}): Promise<string> {
  const error: unknown = await scale(bytes, maxBytes, limits).catch((reason: unknown) => reason);
  if (!PincerError.is(error)) throw new Error('it was not refused');
  expect(error.code).toBe('ARGUMENT_INVALID');
  expect(error.hint).toContain('Send a smaller');
  expect(error.message).not.toContain('\n');
  return error.message;
}

describe('scaled image', () => {
  it('stays a PNG of the same shape, close to the size limit', async () => {
    const bytes = await noise(2700, 2500).png().toBuffer();
    expect(bytes.length).toBeGreaterThan(19 * MiB);
    const { head, before, bytes: made } = await scaled(bytes, 6 * MiB);
    expect(before).toMatchObject({ format: 'png', width: 2700, height: 2500, size: bytes.length, frames: 1 });
    expect(head.format).toBe('png');
    expect(head.width / head.height).toBeCloseTo(2700 / 2500, 2);
    expect(made.length).toBeGreaterThan(3 * MiB);
  });

  it('is rotated upright and has no metadata', async () => {
    // Taken with the camera on its side: left is red, right is blue, and the top of the scene is at the left.
    const half = { width: 600, height: 800, channels: 3 } as const;
    const blue = await sharp({ create: { ...half, background: '#00f' } })
      .png()
      .toBuffer();
    const bytes = await sharp({ create: { ...half, width: 1200, background: '#f00' } })
      .composite([{ input: blue, left: 600, top: 0 }])
      .withExif({ IFD0: { Copyright: 'a person' } })
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100 })
      .toBuffer();
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 1200, height: 800, orientation: 6 });
    const { head, before, bytes: made } = await scaled(bytes, bytes.length - 1);
    expect(before).toMatchObject({ width: 800, height: 1200 });
    expect(head).toMatchObject({ format: 'jpeg' });
    expect(head.orientation).toBeUndefined();
    expect(head.exif).toBeUndefined();
    const { data, info } = await sharp(made).raw().toBuffer({ resolveWithObject: true });
    const pixel = (y: number): number[] => [...data.subarray((y * info.width + 5) * 3).subarray(0, 3)];
    expect(info.height).toBeGreaterThan(info.width);
    expect(colourOf(pixel(5))).toBe('red');
    expect(colourOf(pixel(info.height - 5))).toBe('blue');
  });

  it('is the first frame of an animation', async () => {
    const frames = await Promise.all(
      ['#f00', '#0f0', '#00f'].map((background) =>
        sharp({ create: { width: 400, height: 300, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    for (const format of ['gif', 'webp'] as const) {
      const bytes = await sharp(frames, { join: { animated: true } })
        .toFormat(format, { delay: [50, 50, 50] })
        .toBuffer();
      expect((await sharp(bytes).metadata()).pages).toBe(3);
      // Larger than necessary, as with films that are sent as GIF.
      const film = Buffer.concat([bytes, Buffer.alloc(8 * bytes.length)]);
      const { head, before, bytes: made } = await scaled(film, 5 * bytes.length);
      expect(before.frames).toBe(3);
      expect(head).toMatchObject({ format: format === 'gif' ? 'png' : 'webp', width: 400, height: 300 });
      expect(head.pages).toBeUndefined();
      const raw = await sharp(made).removeAlpha().raw().toBuffer();
      expect(colourOf([...raw.subarray(0, 3)])).toBe('red');
    }
  });

  it('keeps its transparency', async () => {
    const bytes = await noise(600, 400, 4).webp({ lossless: true }).toBuffer();
    const { head } = await scaled(bytes, Math.floor(bytes.length / 2));
    expect(head).toMatchObject({ format: 'webp', hasAlpha: true });
  });

  it.each([
    [3, 'jpeg'],
    [4, 'webp'],
  ] as const)('has another type if a PNG would grow: %i channels, %s', async (channels, format) => {
    // Dots of two colours, one bit each: scaling makes hundreds of colours.
    const [width, height] = [800, 600];
    const raw = randomBytes(width * height * channels);
    for (let at = 0; at < raw.length; at += channels) raw.fill(raw[at]! > 127 ? 255 : 0, at, at + channels);
    const bytes = await sharp(raw, { raw: { width, height, channels } })
      .png({ palette: true, colours: 2, dither: 0 })
      .toBuffer();
    expect((await scaled(bytes, bytes.length - 1)).head.format).toBe(format);
  });
});

describe('image is refused', () => {
  it('if its header names too many pixels, before it is decoded', async () => {
    const bomb = blackPng(30_000, 30_000);
    expect(bomb.length).toBeLessThan(MiB);
    expect(await refusal(bomb, bomb.length - 1)).toBe(
      'a.png has 30000×30000 pixels. Images of more than 64 million pixels cannot be scaled down.',
    );
  });

  it('if it has one pixel more than allowed', async () => {
    const bytes = await noise(100, 100).png().toBuffer();
    for (const maxImagePixels of [100 * 100 + 1, 100 * 100])
      await scaled(bytes, bytes.length - 1, { maxImagePixels });
    const fewer = { maxImagePixels: 100 * 100 - 1 };
    expect(await refusal(bytes, bytes.length - 1, fewer)).toContain('100×100 pixels');
  });

  it('if no attempt was small enough', async () => {
    const bytes = await noise(60, 60).png().toBuffer();
    expect(await refusal(bytes, 10)).toBe('a.png cannot be made smaller than 10 bytes.');
  });

  it.each([
    ['is not an image', Buffer.from('\x89PNG\r\n\x1a\n'.padEnd(5_000, 'x'), 'latin1')],
    ['ends in the middle', undefined],
    ['is a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>')],
    ['is a document', Buffer.from('%PDF-1.7\n')],
    ['is of many pages', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
  ])('if it %s', async (_, bytes) => {
    const half = async (): Promise<Buffer> => (await noise(300, 300).png().toBuffer()).subarray(0, 100_000);
    expect(await refusal(bytes ?? (await half()), 50_000)).toMatch(
      /^a\.png has to be scaled down, but cannot be read as an image \(.+\)\.$/,
    );
  });
});

function colourOf([red = 0, green = 0, blue = 0]: readonly number[]): string {
  if (red > 200 && green < 60 && blue < 60) return 'red';
  return blue > 200 && green < 60 && red < 60 ? 'blue' : `${red}, ${green}, ${blue}`;
}

/** A PNG with one bit per pixel, all zero: a hundred thousand bytes can hold a billion pixels. */
function blackPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const pixels = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
