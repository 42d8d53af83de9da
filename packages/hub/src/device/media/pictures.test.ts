import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { shrink, encodePixels, writePng } from './encode.ts';
import { imageSize, fitWidth, type Pixels, readPpm } from './picture.ts';

/** Left half red, right half blue. */
function twoHalves(width: number, height: number, channels: 3 | 4): Pixels {
  const data = Buffer.alloc(width * height * channels, 255);
  for (let at = 0; at < width * height; at++) {
    const isLeft = at % width < width / 2;
    data.set([isLeft ? 255 : 0, 0, isLeft ? 0 : 255], at * channels);
  }
  return { width, height, channels, data };
}

const rowOf = async (picture: Buffer): Promise<readonly number[][]> => {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return Array.from({ length: info.width }, (_, x) => [...data.subarray(x * 3, x * 3 + 3)]);
};
const [RED, BLUE] = [
  [255, 0, 0],
  [0, 0, 255],
];

describe('the size of a picture', () => {
  it('keeps its aspect ratio and never grows', () => {
    expect(fitWidth({ width: 1920, height: 1080 }, 1280)).toEqual({ width: 1280, height: 720 });
    expect(fitWidth({ width: 800, height: 600 }, 1280)).toEqual({ width: 800, height: 600 });
    expect(fitWidth({ width: 4000, height: 2 }, 16)).toEqual({ width: 16, height: 1 });
  });

  it('is read only from PNG and JPEG', async () => {
    const { width, height, channels, data } = twoHalves(30, 20, 3);
    const picture = sharp(data, { raw: { width, height, channels } });
    expect(imageSize(await picture.clone().png().toBuffer())).toEqual({ width, height });
    expect(imageSize(await picture.clone().jpeg().toBuffer())).toEqual({ width, height });
    expect(imageSize(await picture.clone().jpeg({ progressive: true }).toBuffer())).toEqual({
      width,
      height,
    });
    expect(imageSize(Buffer.from('GIF89a, which is something else'))).toBeUndefined();
    expect(imageSize(Buffer.from([0xff, 0xd8]))).toBeUndefined();
  });
});

describe('portable pixmaps', () => {
  it('are read with comments in their headers', () => {
    const pixels = readPpm(
      Buffer.concat([Buffer.from('P6\n# grim\n2 1\n255\n'), Buffer.from([1, 2, 3, 4, 5, 6])]),
    );
    expect(pixels).toMatchObject({ width: 2, height: 1, channels: 3 });
    expect([...pixels!.data]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are refused if they are incomplete', () => {
    expect(readPpm(Buffer.from('P6\n2 1\n255\n12345'))).toBeUndefined();
    expect(readPpm(Buffer.from('P5\n2 1\n255\n123456'))).toBeUndefined();
    expect(readPpm(Buffer.alloc(0))).toBeUndefined();
  });
});

describe('without sharp', () => {
  const load = (): Promise<undefined> => Promise.resolve(undefined);
  const png = { format: 'png', maxWidth: 4, quality: 80 } as const;

  it('each pixel is the mean of the pixels that it replaces', async () => {
    const small = await shrink(twoHalves(8, 6, 4), 4);
    expect(small).toMatchObject({ width: 4, height: 3, channels: 3 });
    expect([...small.data.subarray(0, 12)]).toEqual([...RED, ...RED, ...BLUE, ...BLUE]);
    const one = await shrink(twoHalves(8, 6, 4), 1);
    expect([...one.data]).toEqual([128, 0, 128]);
  });

  it('writes a PNG that other programs can read', async () => {
    expect(await rowOf(await writePng(twoHalves(4, 2, 4)))).toEqual([RED, RED, BLUE, BLUE]);
    const picture = await encodePixels(twoHalves(400, 200, 4), png, { load });
    expect(picture).toMatchObject({ format: 'png', width: 4, height: 2 });
    expect(await rowOf(picture.bytes)).toEqual([RED, RED, BLUE, BLUE]);
  });

  it('another program writes the JPEG, or the failure names what to install', async () => {
    const jpeg = { ...png, format: 'jpeg' } as const;
    const writeJpeg = (pixels: Pixels, quality: number): Promise<Buffer> =>
      Promise.resolve(Buffer.from(`${pixels.width} at ${quality}`));
    const { bytes } = await encodePixels(twoHalves(8, 6, 4), jpeg, { load, writeJpeg });
    expect(bytes.toString()).toBe('4 at 80');
    await expect(encodePixels(twoHalves(8, 6, 4), jpeg, { load })).rejects.toMatchObject({
      message: 'Capture failed',
      hint: expect.stringContaining('install ffmpeg') as unknown,
    });
  });
});

describe('with sharp', () => {
  it('scales and encodes pictures as requested', async () => {
    const picture = await encodePixels(twoHalves(400, 200, 4), { format: 'png', maxWidth: 100, quality: 80 });
    expect(picture).toMatchObject({ width: 100, height: 50 });
    const row = await rowOf(picture.bytes);
    expect([row[0], row[99]]).toEqual([RED, BLUE]);
    const jpeg = await encodePixels(twoHalves(40, 20, 3), { format: 'jpeg', maxWidth: 100, quality: 90 });
    expect(imageSize(jpeg.bytes)).toEqual({ width: 40, height: 20 });
    expect(jpeg.bytes[0]).toBe(0xff);
  });
});
