/** Cameras through a headless browser, which sees the same devices as other programs of this user. */
import { isBrowserError, type Page } from '../browser/page.ts';
import type { Browser } from '../browser/browser.ts';
import { tooLarge } from '../media/clip.ts';
import { cancelled } from '../registry/capability.ts';
import type { Camera, CameraBackend } from './camera.ts';

/** The error of the browser for a camera that it cannot use. */
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
      // Closing the page releases the camera.
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

/** The browser's ids change with each profile, so cameras are identified by name. Duplicates get a number. */
const COMMON = `
  const cameras = async () => {
    const seen = new Map();
    const all = await navigator.mediaDevices.enumerateDevices();
    return all.filter(({ kind }) => kind === 'videoinput').map(({ label, deviceId }) => {
      const count = (seen.get(label) ?? 0) + 1;
      seen.set(label, count);
      return { id: count === 1 ? label : label + ' #' + count, name: label, deviceId };
    });
  };
  const constraints = async ({ id, maxWidth }) => {
    const video = { width: { ideal: maxWidth } };
    const chosen = (await cameras()).find((each) => each.id === id);
    if (chosen !== undefined) video.deviceId = { exact: chosen.deviceId };
    return video;
  };
  const base64 = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.lastIndexOf(',') + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;

const LIST = `return (await cameras()).map(({ id, name }) => ({ id, name }));`;

const SNAP = `
  const stream = await navigator.mediaDevices.getUserMedia({ video: await constraints(order) });
  try {
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    await pause(order.delayMs);
    const width = Math.min(order.maxWidth, video.videoWidth);
    const height = Math.max(1, Math.round((video.videoHeight * width) / video.videoWidth));
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d').drawImage(video, 0, 0, width, height);
    const blob = await canvas.convertToBlob({ type: 'image/' + order.format, quality: order.quality / 100 });
    return { width, height, base64: await base64(blob) };
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
`;

/** Retries without sound if there is no microphone. */
const CLIP = `
  const video = await constraints(order);
  const open = (audio) => navigator.mediaDevices.getUserMedia({ video, audio });
  const stream = order.includeAudio
    ? await open(true).catch((error) => (error.name === 'NotAllowedError' ? Promise.reject(error) : open(false)))
    : await open(false);
  try {
    const hasAudio = stream.getAudioTracks().length > 0;
    const types = ['video/mp4;codecs=avc1.42E01F' + (hasAudio ? ',opus' : ''), 'video/mp4', 'video/webm'];
    const mimeType = types.find((each) => MediaRecorder.isTypeSupported(each));
    const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 2_000_000 });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const started = new Promise((resolve) => { recorder.onstart = resolve; });
    const stopped = new Promise((resolve, reject) => {
      recorder.onstop = resolve;
      recorder.onerror = ({ error }) => reject(error);
    });
    recorder.start();
    await started;
    await pause(order.durationMs);
    recorder.stop();
    await stopped;
    const blob = new Blob(parts, { type: mimeType });
    const format = mimeType.startsWith('video/mp4') ? 'mp4' : 'webm';
    if (blob.size > order.maxBytes) return { isTooLarge: true };
    return { format, hasAudio, base64: await base64(blob) };
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
`;

const scriptOf =
  (body: string) =>
  (order: object = {}): string =>
    `(async (order) => {${COMMON} try {${body}} catch (error) { return { failure: error.name, message: error.message }; }})(${JSON.stringify(order)})`;

/** Scripts for the page. They return base64, or the name and message of the browser's error. */
const listScript = scriptOf(LIST);
const snapScript = scriptOf(SNAP);
const clipScript = scriptOf(CLIP);
