/** Scales pixels down where sharp is not installed: each new pixel is the mean of those that it takes the place of. */
import { setImmediate } from 'node:timers/promises';
import { fitWidth, type Pixels } from './pixels.ts';

/** Pixels that are read before others get their turn: some milliseconds. */
const PIXELS_PER_TURN = 150_000;

/** Gives back red, green and blue alone. */
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
