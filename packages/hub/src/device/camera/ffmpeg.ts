/** Cameras through ffmpeg, and how Linux lists them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordClip, createEncoders, withOrWithoutSound } from '../media/clip.ts';
import { encodePixels, jpegByFfmpeg } from '../media/encode.ts';
import { listDevices, findSound } from '../media/list-devices.ts';
import { readPpm } from '../media/picture.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { runMediaProgram, words } from '../programs/run-program.ts';
import type { Camera, CameraBackend, SnapOrder } from './camera.ts';

/** Timeout of a picture, in addition to the delay for adjusting to the light. */
const SNAP_GRACE_MS = 20_000;

/** `videoClass` is where Linux lists its cameras. */
export function createFfmpegCameras(ports: DevicePorts, ffmpeg: string, videoClass: string): CameraBackend {
  const { platform, log } = ports;
  const encoderOf = createEncoders(ports);

  async function list(signal: AbortSignal): Promise<readonly Camera[]> {
    return deviceTypeOf(platform) === 'v4l2'
      ? listV4l2(videoClass)
      : (await listDevices(ports, ffmpeg, signal)).video;
  }

  async function idOf(camera: Camera | undefined, signal: AbortSignal): Promise<string> {
    const chosen = camera ?? (await list(signal))[0];
    if (chosen === undefined) throw new Error('the camera is gone');
    return chosen.id;
  }

  return {
    deviceType: deviceTypeOf(platform),
    list,
    async snap(camera, order, signal) {
      const args = snapArgs(platform, await idOf(camera, signal), order);
      const timeoutMs = order.delayMs + SNAP_GRACE_MS;
      const { stdout } = await runMediaProgram(ports, { command: ffmpeg, args, signal, timeoutMs });
      const pixels = readPpm(stdout);
      if (pixels === undefined) throw new Error(`ffmpeg wrote ${stdout.length} bytes that are no picture`);
      return encodePixels(pixels, order, { writeJpeg: jpegByFfmpeg(ports) });
    },
    async clip(camera, { durationMs, includeAudio, maxBytes }, context) {
      const { signal } = context;
      const video = cameraInput(platform, await idOf(camera, signal));
      const sound = includeAudio ? await findSound(ports, 'microphone', { ffmpeg, signal }) : undefined;
      const order = { video, sound, encoder: await encoderOf(ffmpeg), durationMs, maxBytes };
      const made = await withOrWithoutSound(order, log, (each) => recordClip(ports, ffmpeg, each, context));
      return { ...made, format: 'mp4' };
    },
  };
}

/** ffmpeg's names of the device types. Other nodes use the same names. */
function deviceTypeOf(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'avfoundation';
  return platform === 'win32' ? 'dshow' : 'v4l2';
}

export function cameraInput(platform: NodeJS.Platform, id: string): readonly string[] {
  // Cameras of a Mac reject 29.97 frames per second, ffmpeg's default.
  if (platform === 'darwin') return [...words('-f avfoundation -framerate 30 -i'), `${id}:none`];
  if (platform === 'win32') return [...words('-f dshow -rtbufsize 64M -i'), `video=${id}`];
  return ['-f', 'v4l2', '-i', id];
}

export const snapArgs = (
  platform: NodeJS.Platform,
  id: string,
  { delayMs }: Pick<SnapOrder, 'delayMs'>,
): string[] => [
  ...words('-hide_banner -loglevel error -nostdin'),
  ...cameraInput(platform, id),
  // After the input, -ss lets the camera run: frames before that time are captured and dropped.
  ...words(`-ss ${delayMs / 1_000} -frames:v 1 -c:v ppm -f image2pipe pipe:1`),
];

export const VIDEO_CLASS = '/sys/class/video4linux';

/** `root` is where the kernel lists them. */
export async function listV4l2(root = VIDEO_CLASS): Promise<readonly Camera[]> {
  const entries = (await readdir(root).catch(() => [])).filter((entry) => /^video\d+$/.test(entry));
  const found = await Promise.all(entries.map((entry) => readCamera(root, entry)));
  return found.filter((camera) => camera !== undefined).toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
}

/** A camera has several device files. The one with index 0 captures pictures. */
async function readCamera(root: string, entry: string): Promise<Camera | undefined> {
  const index = await readText(join(root, entry, 'index'));
  if (index !== undefined && index !== '0') return undefined;
  return { id: `/dev/${entry}`, name: (await readText(join(root, entry, 'name'))) || entry };
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

const numberOf = (id: string): number => Number(/\d+$/.exec(id)?.[0]);
