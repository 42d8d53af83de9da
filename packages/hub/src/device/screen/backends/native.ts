/** Pictures of screens by node-screenshots: on X11, macOS and Windows, and on Wayland where a portal gives them. It draws no pointer. */
import { encodePixels, type JpegWriter } from '../../media/encode.ts';
import { loadSharp } from '../../../lib/load-sharp.ts';
import type { Picture } from '../../media/pixels.ts';
import type { DevicePorts } from '../../ports.ts';
import { inOrder, screenAt } from '../screens.ts';
import { CAPTURE_FAILED } from '../texts.ts';
import type { SnapshotBackend, SnapshotWish } from './backend.ts';
import { loadScreenshots, type Image } from './load-screenshots.ts';

export const createNativeBackend = (
  { platform, env }: Pick<DevicePorts, 'platform' | 'env'>,
  writeJpeg: JpegWriter,
): SnapshotBackend => ({
  name: 'node-screenshots',
  drawsPointer: false,
  async missing() {
    if (platform === 'linux' && !env['DISPLAY']) return 'DISPLAY is not set';
    return loadScreenshots().then(
      () => undefined,
      () => 'node-screenshots is not installed, or not for this machine',
    );
  },
  async capture(wish) {
    const { Monitor } = await loadScreenshots();
    const monitor = screenAt(inOrder(Monitor.all()), wish.screenIndex, CAPTURE_FAILED);
    // Not the synchronous one: it would hold up everything else that the hub does.
    return pictureOf(await monitor.captureImage(), wish, writeJpeg);
  },
});

async function pictureOf(image: Image, wish: SnapshotWish, writeJpeg: JpegWriter): Promise<Picture> {
  const { width, height } = image;
  if (width <= wish.maxWidth) {
    // Its own PNG is quicker than any other that was measured; its own JPEG is four times slower, at a quality of its choice.
    if (wish.format === 'png') return { format: 'png', width, height, bytes: await image.toPng() };
    if ((await loadSharp()) === undefined)
      return { format: 'jpeg', width, height, bytes: await image.toJpeg() };
  }
  return encodePixels({ width, height, channels: 4, data: await image.toRaw() }, wish, { writeJpeg });
}
