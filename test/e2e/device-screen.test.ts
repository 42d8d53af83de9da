/** Screens, cameras and location with real programs: Xvfb, ffmpeg and Chromium. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS as limits } from '../../packages/hub/src/core/limits.ts';
import { createBrowser, type Browser } from '../../packages/hub/src/device/browser/browser.ts';
import { createCameraCapability } from '../../packages/hub/src/device/camera/capability.ts';
import { createLocationCapability } from '../../packages/hub/src/device/location/capability.ts';
import { encodePixels, jpegByFfmpeg } from '../../packages/hub/src/device/media/encode.ts';
import type { DevicePorts } from '../../packages/hub/src/device/registry/ports.ts';
import { findProgram } from '../../packages/hub/src/device/programs/find-program.ts';
import type { Capability, CommandContext } from '../../packages/hub/src/device/registry/capability.ts';
import { createScreenCapability } from '../../packages/hub/src/device/screen/capability.ts';
import { realPorts, runCommand } from '../kit/device-ports.ts';
import { startPaintedDisplay, type PaintedDisplay } from '../kit/painted-display.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const folder = temporaryFolder('screen');
afterAll(() => folder[Symbol.dispose]());

const [RED, GREEN, BLUE] = [
  [200, 0, 0],
  [0, 200, 0],
  [0, 0, 200],
] as const;

interface Media {
  readonly base64: string;
  readonly [name: string]: unknown;
}

const portsWith = (env: Record<string, string | undefined>): DevicePorts => ({
  ...realPorts(env),
  home: folder.path,
});
const call = (
  { commands }: Capability,
  name: string,
  args: object = {},
  context: Partial<CommandContext> = {},
): Promise<Media> => runCommand(commands.get(name), args, context) as Promise<Media>;

/** The pixels in the middle of the left and the right half. */
async function halvesOf(picture: Buffer): Promise<number[][]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (x: number): number[] => {
    const begin = (Math.floor(info.height / 2) * info.width + Math.floor(x)) * 3;
    return [...data.subarray(begin, begin + 3)];
  };
  return [at(info.width / 4), at((info.width * 3) / 4)];
}

/** Rounded, because lossy images change colours slightly. */
const near = (colour: readonly number[]): number[] => colour.map((value) => Math.round(value / 40) * 40);
const bytesOf = ({ base64 }: Media): Buffer => Buffer.from(base64, 'base64');

interface Probed {
  readonly codecs: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
}

function probe(clip: Buffer): Probed {
  const file = join(folder.path, 'probed.mp4');
  writeFileSync(file, clip);
  const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', file];
  const { streams, format } = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8' })) as {
    streams: { codec_name: string; codec_type: string; width: number; height: number }[];
    format: { duration: string };
  };
  const { width, height } = streams.find(({ codec_type }) => codec_type === 'video')!;
  return {
    codecs: streams.map((each) => each.codec_name).toSorted(),
    width,
    height,
    seconds: Number(format.duration),
  };
}

/** The first frame of a video. */
function firstPictureOf(clip: Buffer): Buffer {
  const file = join(folder.path, 'shown.mp4');
  writeFileSync(file, clip);
  return execFileSync('ffmpeg', [
    '-v',
    'error',
    '-i',
    file,
    '-frames:v',
    '1',
    '-c:v',
    'png',
    '-f',
    'image2pipe',
    '-',
  ]);
}

const filesLeft = (): string[] =>
  readdirSync(join(folder.path, 'run')).filter((name) => name.startsWith('media-'));

describe('a screen', () => {
  let display: PaintedDisplay;
  let screen: Capability;
  beforeAll(async () => {
    display = await startPaintedDisplay(640, 400);
    // Native code reads the variables of the process.
    process.env['DISPLAY'] = display.name;
    screen = createScreenCapability(portsWith({ PATH: process.env['PATH'], DISPLAY: display.name }), {
      limits,
    });
  });
  afterAll(async () => {
    delete process.env['DISPLAY'];
    await display[Symbol.asyncDispose]();
  });

  it('is captured as it is now', async () => {
    display.paint(RED, BLUE);
    const first = await call(screen, 'screen.snapshot');
    expect(first).toMatchObject({ format: 'png', width: 640, height: 400, hasPointer: false });
    expect(first['image']).toBe(`data:image/png;base64,${first.base64}`);
    expect(await halvesOf(bytesOf(first))).toEqual([RED, BLUE]);
    display.paint(GREEN, RED);
    expect(await halvesOf(bytesOf(await call(screen, 'screen.snapshot')))).toEqual([GREEN, RED]);
  });

  it('is scaled down, as PNG and as JPEG', async () => {
    display.paint(RED, BLUE);
    const small = await call(screen, 'screen.snapshot', { maxWidth: 100 });
    expect(small).toMatchObject({ width: 100, height: 63 });
    expect(await halvesOf(bytesOf(small))).toEqual([RED, BLUE]);
    const jpeg = await call(screen, 'screen.snapshot', { format: 'jpeg', maxWidth: 320, quality: 90 });
    expect(jpeg).toMatchObject({ format: 'jpeg', width: 320, height: 200 });
    expect((await halvesOf(bytesOf(jpeg))).map(near)).toEqual([RED, BLUE]);
  });

  it('includes the pointer if the capturing program draws it', async () => {
    display.paint(BLUE, GREEN);
    const picture = await call(screen, 'screen.snapshot', { includePointer: true });
    expect(picture).toMatchObject({ width: 640, height: 400, hasPointer: true });
    expect(await halvesOf(bytesOf(picture))).toEqual([BLUE, GREEN]);
  });

  it('is captured without blocking the hub', async () => {
    // Loads all modules first.
    await call(screen, 'screen.snapshot');
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 4 }, () => call(screen, 'screen.snapshot')));
    isOver = true;
    expect(turns).toBeGreaterThan(20);
  });

  it('fails for an unknown screen instead of capturing another one', async () => {
    await expect(call(screen, 'screen.snapshot', { monitor: 3 })).rejects.toMatchObject({
      hint: 'The only screen is 0. There is no screen 3.',
    });
    await expect(call(screen, 'screen.record', { screenIndex: 3 })).rejects.toThrow('Recording failed');
  });

  it('is recorded for the requested time, with progress', async () => {
    display.paint(RED, GREEN);
    const told: number[] = [];
    const clip = await call(
      screen,
      'screen.record',
      { durationMs: 1_500, fps: 20 },
      { progress: (done) => void told.push(done) },
    );
    expect(clip).toMatchObject({
      format: 'mp4',
      durationMs: 1_500,
      fps: 20,
      screenIndex: 0,
      hasAudio: false,
    });
    const { seconds, ...rest } = probe(bytesOf(clip));
    expect(rest).toEqual({ codecs: ['h264'], width: 640, height: 400 });
    expect(seconds).toBeCloseTo(1.5, 0);
    expect((await halvesOf(firstPictureOf(bytesOf(clip)))).map(near)).toEqual([RED, GREEN]);
    expect(told.length).toBeGreaterThan(0);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(filesLeft()).toEqual([]);
  });

  it('stops recording when the call is cancelled', async () => {
    const stop = new AbortController();
    const recording = call(
      screen,
      'screen.record',
      { durationMs: 60_000 },
      { signal: stop.signal, progress: () => stop.abort() },
    );
    await expect(recording).rejects.toMatchObject({ message: 'cancelled' });
    expect(filesLeft()).toEqual([]);
  });

  it('fails with a clear message if the display is gone', async () => {
    const env = { PATH: process.env['PATH'], DISPLAY: ':9999' };
    const before = process.env['DISPLAY'];
    process.env['DISPLAY'] = env.DISPLAY;
    try {
      await expect(
        call(createScreenCapability(portsWith(env), { limits }), 'screen.snapshot'),
      ).rejects.toMatchObject({
        name: 'CommandFailure',
        message: 'Capture failed',
      });
    } finally {
      process.env['DISPLAY'] = before;
    }
  });
});

describe('a JPEG without sharp', () => {
  it('is written by ffmpeg', async () => {
    const pixels = { width: 64, height: 32, channels: 4 as const, data: Buffer.alloc(64 * 32 * 4) };
    for (let at = 0; at < 64 * 32; at++) pixels.data.set([...(at % 64 < 32 ? RED : BLUE), 255], at * 4);
    const { bytes, ...rest } = await encodePixels(
      pixels,
      { format: 'jpeg', maxWidth: 32, quality: 95 },
      {
        load: () => Promise.resolve(undefined),
        writeJpeg: jpegByFfmpeg(portsWith({ PATH: process.env['PATH'] })),
      },
    );
    expect(rest).toEqual({ format: 'jpeg', width: 32, height: 16 });
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 32, height: 16 });
    expect((await halvesOf(bytes)).map(near)).toEqual([RED, BLUE]);
  });
});

describe('a Linux camera', () => {
  /** The real ffmpeg with a test pattern as its camera. */
  const machine = (): Capability => {
    const bin = join(folder.path, 'bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(folder.path, 'class', 'video0'), { recursive: true });
    writeFileSync(join(folder.path, 'class', 'video0', 'name'), 'Test Camera');
    writeFileSync(join(bin, 'ffmpeg'), FFMPEG_WITH_CAMERA(findProgram('ffmpeg', process.env)!));
    chmodSync(join(bin, 'ffmpeg'), 0o700);
    const nobody: Browser = {
      open: () => Promise.reject(new Error('no browser')),
      close: () => Promise.resolve(),
    };
    const ports = portsWith({ PATH: `${bin}:${process.env['PATH']}` });
    return createCameraCapability(ports, { limits, browser: nobody, videoClass: join(folder.path, 'class') });
  };
  const FFMPEG_WITH_CAMERA = (ffmpeg: string): string => `#!/bin/sh
for each; do
  shift
  case $each in
    v4l2) each=lavfi ;;
    /dev/video0) each=testsrc=size=640x480:rate=10 ;;
  esac
  set -- "$@" "$each"
done
exec ${ffmpeg} "$@"
`;

  it('is listed, takes photos and records with ffmpeg', async () => {
    const camera = machine();
    expect(await call(camera, 'camera.list')).toMatchObject({
      cameras: [{ deviceId: '/dev/video0', name: 'Test Camera', isDefault: true }],
    });
    const picture = await call(camera, 'camera.snap', { format: 'jpg', maxWidth: 320, quality: 0.9 });
    expect(picture).toMatchObject({ format: 'jpg', width: 320, height: 240 });
    expect(await sharp(bytesOf(picture)).metadata()).toMatchObject({
      format: 'jpeg',
      width: 320,
      height: 240,
    });
    const clip = await call(camera, 'camera.clip', { durationMs: 1_000, includeAudio: false });
    expect(clip).toMatchObject({ format: 'mp4', durationMs: 1_000, hasAudio: false });
    expect(probe(bytesOf(clip))).toEqual({ codecs: ['h264'], width: 640, height: 480, seconds: 1 });
  });
});

describe("the browser's camera and location", () => {
  const ports = portsWith({ PATH: process.env['PATH'], HOME: folder.path });
  const browser = createBrowser(ports, { limits, extraArgs: ['--use-fake-device-for-media-stream'] });
  const noDevices = join(folder.path, 'no-class');
  afterAll(() => browser.close());

  it('lists its camera and takes a photo', async () => {
    const camera = createCameraCapability(ports, { limits, browser, videoClass: noDevices });
    const { devices } = await call(camera, 'camera.list');
    expect(devices).toEqual([
      { id: 'fake_device_0', name: 'fake_device_0', position: 'unknown', deviceType: 'browser' },
    ]);
    const picture = await call(camera, 'camera.snap', {
      deviceId: 'fake_device_0',
      delayMs: 0,
      maxWidth: 640,
    });
    expect(picture).toMatchObject({ format: 'jpeg', width: 640 });
    const { channels } = await sharp(bytesOf(picture)).stats();
    // A green image with a lighter disc on it.
    expect(channels[1]!.mean).toBeGreaterThan(channels[0]!.mean);
    expect(channels[1]!.stdev).toBeGreaterThan(5);
  });

  it('records with its camera and its microphone', async () => {
    const camera = createCameraCapability(ports, { limits, browser, videoClass: noDevices });
    const clip = await call(camera, 'camera.clip', { durationMs: 1_000 });
    expect(clip).toMatchObject({ format: 'mp4', hasAudio: true });
    expect(probe(bytesOf(clip)).codecs).toEqual(['h264', 'opus']);
  });

  it('returns its location', async () => {
    const placed: Browser = {
      async open(options) {
        const page = await browser.open(options);
        await page.send('Emulation.setGeolocationOverride', {
          latitude: 48.2,
          longitude: 16.37,
          accuracy: 12,
        });
        return page;
      },
      close: () => Promise.resolve(),
    };
    const located = await call(
      createLocationCapability(ports, { browser: placed, fixed: () => undefined }),
      'location.get',
    );
    expect(located).toMatchObject({ latitude: 48.2, lon: 16.37, accuracyMeters: 12, source: 'browser' });
  });

  it('denies the location without trying another way if the permission is missing', async () => {
    const forbidden: Browser = {
      open: (options) => browser.open({ ...options, permissions: [] }),
      close: () => Promise.resolve(),
    };
    const asked = call(
      createLocationCapability(ports, { browser: forbidden, fixed: () => undefined }),
      'location.get',
    );
    await expect(asked).rejects.toMatchObject({ message: 'LOCATION_PERMISSION_REQUIRED' });
  });
});
