/** Cameras by a browser without a window, which has the same devices as any other program of this user. */
import type { Browser } from '../../browser/browser.ts';
import type { Page } from '../../browser/page.ts';
import { isBrowserError } from '../../browser/browser-error.ts';
import { tooLarge } from '../../media/clip.ts';
import { cancelled } from '../../registry/failure.ts';
import type { Camera, CameraBackend } from '../camera.ts';
import { clipScript, listScript, snapScript } from './page-script.ts';

/** What the browser says of a camera that it cannot use, by the name of its error. */
export class CameraRefused extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

const PAGE = {
  html: '<!doctype html><title>Camera</title>',
  width: 640,
  height: 480,
  permissions: ['videoCapture', 'audioCapture'],
};
const PROGRESS_MS = 1_000;

export function createBrowserCameras(browser: Browser): CameraBackend {
  async function run<T>(script: string, signal: AbortSignal): Promise<T> {
    let page: Page | undefined;
    try {
      page = await browser.open(PAGE);
      const given = await page.evaluate(script, signal);
      throwRefusal(given);
      return given as T;
    } catch (error) {
      if (signal.aborted || isBrowserError(error, 'aborted')) throw cancelled();
      throw error;
    } finally {
      // Its camera is switched off with it.
      await page?.close();
    }
  }

  return {
    deviceType: 'browser',
    list: (signal) => run<readonly Camera[]>(listScript(), signal),
    async snap(camera, order, signal) {
      const { base64, ...size } = await run<{ width: number; height: number; base64: string }>(
        snapScript({ ...order, id: camera?.id }),
        signal,
      );
      return { format: order.format, ...size, bytes: Buffer.from(base64, 'base64') };
    },
    async clip(camera, order, { signal, progress }) {
      const { durationMs, maxBytes } = order;
      let done = 0;
      const timer = setInterval(() => {
        done = Math.min(durationMs, done + PROGRESS_MS);
        progress(done, durationMs, `${done / 1_000} of ${durationMs / 1_000} s recorded`);
      }, PROGRESS_MS);
      try {
        const made = await run<
          | { isTooLarge: true }
          | { isTooLarge?: undefined; format: 'mp4' | 'webm'; hasAudio: boolean; base64: string }
        >(clipScript({ ...order, id: camera?.id, maxWidth: CLIP_WIDTH }), signal);
        if (made.isTooLarge === true) throw tooLarge(maxBytes);
        return { format: made.format, hasAudio: made.hasAudio, bytes: Buffer.from(made.base64, 'base64') };
      } finally {
        clearInterval(timer);
      }
    },
  };
}

const CLIP_WIDTH = 1280;

function throwRefusal(given: unknown): void {
  const { failure, message } = (given ?? {}) as { failure?: string; message?: string };
  if (failure !== undefined) throw new CameraRefused(failure, message ?? '');
}
