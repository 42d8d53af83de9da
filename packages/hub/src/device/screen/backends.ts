/** Backends that take pictures of screens, the fastest first: node-screenshots, ffmpeg, grim, screencapture. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSharp } from '../../lib/load-sharp.ts';
import { jpegByFfmpeg, encodePixels, type JpegWriter } from '../media/encode.ts';
import { type Picture, type PictureOptions, readPpm, imageSize, fitWidth } from '../media/picture.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { findProgram } from '../programs/find-program.ts';
import { inRunFolder } from '../programs/run-folder.ts';
import { runMediaProgram, words } from '../programs/run-program.ts';
import { grabInput, type Grab } from './record.ts';
import {
  NO_DISPLAY,
  sessionOf,
  type Session,
  inOrder,
  screenAt,
  loadScreenshots,
  type Image,
  findRegion,
} from './screens.ts';

export const CAPTURE_FAILED = 'Capture failed';

export interface SnapshotBackends {
  /** In the order in which they are tried. */
  readonly all: readonly SnapshotBackend[];
  /** The hint if none is available. */
  readonly hint: string;
}

export function snapshotBackends(ports: DevicePorts): SnapshotBackends {
  const writeJpeg = jpegByFfmpeg(ports);
  const native = createNativeBackend(ports, writeJpeg);
  const ffmpeg = createFfmpegBackend(ports, writeJpeg);
  const bySession: Record<Session, SnapshotBackends> = {
    none: { all: [], hint: NO_DISPLAY },
    x11: {
      all: [native, ffmpeg],
      hint: 'Install ffmpeg, or the npm package node-screenshots with the libraries libxcb and libdbus.',
    },
    wayland: {
      all: [createGrimBackend(ports, writeJpeg), native],
      hint: 'Install grim (for Sway, Hyprland and other wlroots compositors). On GNOME and KDE, install the npm package node-screenshots, XWayland and a desktop portal.',
    },
    macos: {
      all: [native, createScreencaptureBackend(ports), ffmpeg],
      hint: 'Allow screen recording for the program that runs the hub: System Settings, Privacy & Security.',
    },
    windows: { all: [native, ffmpeg], hint: 'Install the npm package node-screenshots, or ffmpeg.' },
  };
  return bySession[sessionOf(ports)];
}

export interface SnapshotOptions extends PictureOptions {
  readonly screenIndex: number;
  /** Whether to draw the mouse pointer. Not every backend can. */
  readonly pointer: boolean;
}

/** A backend that takes pictures of screens. */
export interface SnapshotBackend {
  /** For people. */
  readonly name: string;
  readonly drawsPointer: boolean;
  /** What is missing. Undefined if it can be tried. */
  missing(): Promise<string | undefined>;
  /** Rejects with a CommandFailure if other backends would fail, too. After other errors the next one is tried. */
  capture(options: SnapshotOptions, signal: AbortSignal): Promise<Picture>;
}

const createNativeBackend = (
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
  async capture(options) {
    const { Monitor } = await loadScreenshots();
    const monitor = screenAt(inOrder(Monitor.all()), options.screenIndex, CAPTURE_FAILED);
    // Not the synchronous function, which would block the hub.
    return pictureOf(await monitor.captureImage(), options, writeJpeg);
  },
});

async function pictureOf(image: Image, options: SnapshotOptions, writeJpeg: JpegWriter): Promise<Picture> {
  const { width, height } = image;
  if (width <= options.maxWidth) {
    // Measured: its own PNG encoder is the fastest. Its own JPEG encoder is four times slower and ignores the quality.
    if (options.format === 'png') return { format: 'png', width, height, bytes: await image.toPng() };
    if ((await loadSharp()) === undefined)
      return { format: 'jpeg', width, height, bytes: await image.toJpeg() };
  }
  return encodePixels({ width, height, channels: 4, data: await image.toRaw() }, options, { writeJpeg });
}

/** ffmpeg waits for the next frame, so a high rate is faster. */
const FPS = 60;

export const snapshotArgs = (grab: Omit<Grab, 'fps'>): string[] => [
  ...words('-hide_banner -loglevel error -nostdin -probesize 32 -analyzeduration 0'),
  ...grabInput({ ...grab, fps: FPS }),
  ...words('-frames:v 1 -c:v ppm -f image2pipe pipe:1'),
];

function createFfmpegBackend(ports: DevicePorts, writeJpeg: JpegWriter): SnapshotBackend {
  const { platform, env } = ports;
  const find = (): string | undefined => findProgram('ffmpeg', env, platform);
  return {
    name: 'ffmpeg',
    drawsPointer: true,
    async missing() {
      return find() === undefined ? 'ffmpeg is not installed' : undefined;
    },
    async capture(options, signal) {
      const { screenIndex, pointer } = options;
      const region = await findRegion(platform, screenIndex, CAPTURE_FAILED);
      const args = snapshotArgs({ platform, display: env['DISPLAY'] ?? '', screenIndex, region, pointer });
      const { stdout } = await runMediaProgram(ports, { command: find()!, args, signal });
      const pixels = readPpm(stdout);
      if (pixels === undefined) throw new Error(`ffmpeg wrote ${stdout.length} bytes that are no picture`);
      return encodePixels(pixels, options, { writeJpeg });
    },
  };
}

/** Programs that name the outputs of a compositor, as JSON. */
const LISTERS = [
  { program: 'wlr-randr', args: ['--json'] },
  { program: 'swaymsg', args: ['-t', 'get_outputs', '-r'] },
] as const;

/** `output` undefined: all screens, side by side. */
export const grimArgs = (output: string | undefined, pointer: boolean): string[] => [
  ...words(pointer ? '-t ppm -c' : '-t ppm'),
  ...(output === undefined ? [] : ['-o', output]),
  '-',
];

/** Names of the active outputs, in the compositor's order. */
export function outputNames(json: string): readonly string[] {
  const outputs: unknown = JSON.parse(json);
  if (!Array.isArray(outputs)) return [];
  return outputs.flatMap((each: { name?: unknown; enabled?: unknown; active?: unknown }) =>
    typeof each.name === 'string' && (each.enabled ?? each.active) !== false ? [each.name] : [],
  );
}

function createGrimBackend(ports: DevicePorts, writeJpeg: JpegWriter): SnapshotBackend {
  const find = (name: string): string | undefined => findProgram(name, ports.env, ports.platform);

  async function outputs(signal: AbortSignal): Promise<readonly string[] | undefined> {
    for (const { program, args } of LISTERS) {
      const command = find(program);
      if (command === undefined) continue;
      const { stdout } = await runMediaProgram(ports, { command, args, signal });
      return outputNames(stdout.toString('utf8'));
    }
    return undefined;
  }

  return {
    name: 'grim',
    drawsPointer: true,
    async missing() {
      return find('grim') === undefined ? 'grim is not installed' : undefined;
    },
    async capture(options, signal) {
      const names = await outputs(signal);
      const output = screenAt(names ?? [undefined], options.screenIndex, CAPTURE_FAILED);
      const args = grimArgs(output, options.pointer);
      const { stdout } = await runMediaProgram(ports, { command: find('grim')!, args, signal });
      const pixels = readPpm(stdout);
      if (pixels === undefined) throw new Error(`grim wrote ${stdout.length} bytes that are no picture`);
      return encodePixels(pixels, options, { writeJpeg });
    },
  };
}

/** `-x`: without a sound. `-C`: with the pointer. It counts screens from 1. */
export const screencaptureArgs = (
  { screenIndex, pointer }: Pick<SnapshotOptions, 'screenIndex' | 'pointer'>,
  file: string,
): string[] => ['-x', ...(pointer ? ['-C'] : []), '-D', `${screenIndex + 1}`, '-t', 'png', file];

export const sipsArgs = (
  { format, quality }: Omit<PictureOptions, 'maxWidth'>,
  width: number,
  files: { readonly from: string; readonly to: string },
): string[] => [
  ...words(`--resampleWidth ${width} -s format ${format}`),
  ...(format === 'jpeg' ? words(`-s formatOptions ${quality}`) : []),
  files.from,
  '--out',
  files.to,
];

function createScreencaptureBackend(ports: DevicePorts): SnapshotBackend {
  const find = (name: string): string | undefined => findProgram(name, ports.env, ports.platform);
  return {
    name: 'screencapture',
    drawsPointer: true,
    async missing() {
      return find('screencapture') === undefined ? 'screencapture is not on the PATH' : undefined;
    },
    capture: (options, signal) =>
      inRunFolder(ports.home, 'media', async (folder) => {
        const from = join(folder, 'screen.png');
        const to = join(folder, 'picture');
        await runMediaProgram(ports, {
          command: find('screencapture')!,
          args: screencaptureArgs(options, from),
          signal,
        });
        const taken = await readFile(from);
        const size = imageSize(taken);
        if (size === undefined)
          throw new Error(`screencapture wrote ${taken.length} bytes that are no picture`);
        const fitting = fitWidth(size, options.maxWidth);
        if (options.format === 'png' && fitting.width === size.width)
          return { format: 'png', ...size, bytes: taken };
        const args = sipsArgs(options, fitting.width, { from, to });
        await runMediaProgram(ports, { command: find('sips') ?? 'sips', args, signal });
        const bytes = await readFile(to);
        return { format: options.format, ...(imageSize(bytes) ?? fitting), bytes };
      }),
  };
}
