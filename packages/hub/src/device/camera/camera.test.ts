import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedPorts, runCommand, type Machine } from '../../../../../test/kit/device-ports.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { Browser } from '../browser/browser.ts';
import type { Page } from '../browser/page.ts';
import { ProgramFailure } from '../programs/run-program.ts';
import { CLIP_INPUT, delayOf, qualityOf, SNAP_INPUT, snapFormat } from './capability.ts';
import { CameraRefused } from './browser.ts';
import { cameraInput, snapArgs, listV4l2 } from './ffmpeg.ts';
import { positionOf } from './camera.ts';
import { createCameraCapability } from './capability.ts';
import { cameraFailure, SNAP_TEXTS, chooseCamera } from './use-camera.ts';
import { verifies } from '../../../../../test/verifies.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-camera-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['ffmpeg', 'chromium']) {
    writeFileSync(join(folder, 'bin', name), '');
    chmodSync(join(folder, 'bin', name), 0o700);
  }
  for (const [entry, name, index] of [
    ['video10', 'Rear Camera', '0'],
    ['video2', 'Integrated Camera', '0'],
    ['video3', 'Integrated Camera', '1'],
  ] as const) {
    mkdirSync(join(folder, 'class', entry), { recursive: true });
    writeFileSync(join(folder, 'class', entry, 'name'), `${name}\n`);
    writeFileSync(join(folder, 'class', entry, 'index'), `${index}\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const PIXELS = Buffer.concat([Buffer.from('P6 4 2 255\n'), Buffer.alloc(24, 200)]);
const MAC_LIST =
  '[AVFoundation indev @ 0x7f] AVFoundation video devices:\n[AVFoundation indev @ 0x7f] [0] FaceTime HD Camera\n';

/** A page whose scripts return `answer`. */
const browserWith = (answer: unknown, scripts: string[] = []): Browser => ({
  open: () =>
    Promise.resolve({
      evaluate: (script: string) => {
        scripts.push(script);
        return Promise.resolve(answer);
      },
      close: () => Promise.resolve(),
    } as unknown as Page),
  close: () => Promise.resolve(),
});

function camera(machine: Machine, browser = browserWith([]), videoClass = join(folder, 'class')) {
  const ports = recordedPorts({ env: { PATH: join(folder, 'bin') }, home: folder, ...machine });
  const { commands, readiness } = createCameraCapability(ports, {
    limits: DEFAULT_LIMITS,
    browser,
    videoClass,
  });
  return { ports, readiness, run: (name: string, args?: object) => runCommand(commands.get(name), args) };
}

describe('arguments', () => {
  it('have the documented defaults and bounds', () => {
    expect(SNAP_INPUT.parse({})).toEqual({ format: 'jpeg', maxWidth: 1280 });
    expect(SNAP_INPUT.parse({ maxWidth: 1e5 }).maxWidth).toBe(4096);
    expect(CLIP_INPUT.parse({})).toEqual({ format: 'mp4', durationMs: 3_000, includeAudio: true });
    expect([0, 1e6].map((durationMs) => CLIP_INPUT.parse({ durationMs }).durationMs)).toEqual([100, 60_000]);
    expect([delayOf(undefined), delayOf(-1), delayOf(2_000), delayOf(1e6)]).toEqual([500, 0, 2_000, 10_000]);
  });

  it('accept quality as percent and as a fraction', () => {
    expect(qualityOf(undefined, {})).toBe(80);
    expect([0.9, 0.5, 0, 1, 55.5, 400].map((quality) => qualityOf(quality, {}))).toEqual([
      90, 50, 1, 1, 56, 100,
    ]);
    expect(qualityOf(1, { facing: 'front' })).toBe(100);
    expect(qualityOf(1, { delayMs: 0 })).toBe(100);
    expect(qualityOf(80, { facing: 'front' })).toBe(80);
  });

  it('return the name of the format as requested', () => {
    expect(['jpg', 'JPEG', 'png', ''].map((name) => snapFormat(name)?.name)).toEqual([
      'jpg',
      'jpeg',
      'png',
      'jpeg',
    ]);
    expect(snapFormat('gif')).toBeUndefined();
  });
});

describe('cameras', () => {
  it('of Linux have the names from the kernel, one entry each', async () => {
    expect(await listV4l2(join(folder, 'class'))).toEqual([
      { id: '/dev/video2', name: 'Integrated Camera' },
      { id: '/dev/video10', name: 'Rear Camera' },
    ]);
    expect(await listV4l2(join(folder, 'nothing'))).toEqual([]);
  });

  it('are listed in both dialects', async () => {
    expect(await camera({}).run('camera.list')).toEqual({
      cameras: [
        { deviceId: '/dev/video2', name: 'Integrated Camera', isDefault: true },
        { deviceId: '/dev/video10', name: 'Rear Camera', isDefault: false },
      ],
      devices: [
        { id: '/dev/video2', name: 'Integrated Camera', position: 'front', deviceType: 'v4l2' },
        { id: '/dev/video10', name: 'Rear Camera', position: 'back', deviceType: 'v4l2' },
      ],
    });
  });

  it('get their position from their names', () => {
    expect(['FaceTime HD', 'USB Rear', 'HD Pro Webcam C920'].map(positionOf)).toEqual([
      'front',
      'back',
      'unknown',
    ]);
  });

  it('are chosen by id, name or position', () => {
    const all = [
      { id: 'a', name: 'Front Camera' },
      { id: 'b', name: 'Back Camera' },
    ];
    const choose = (deviceId?: string, facing?: string) => chooseCamera(all, { deviceId, facing })?.id;
    expect([choose(' b '), choose('Back Camera'), choose('c')]).toEqual(['b', 'b', undefined]);
    expect([choose(undefined, 'BACK'), choose(undefined, 'sideways'), choose('a', 'back')]).toEqual([
      'b',
      'a',
      'a',
    ]);
  });
});

describe('a picture', () => {
  it('is taken by ffmpeg with the requested camera', async () => {
    const { ports, run } = camera({ answer: () => ({ stdout: PIXELS }) });
    const payload = await run('camera.snap', { format: 'jpg', deviceId: '/dev/video10', delayMs: 250 });
    expect(payload).toMatchObject({ format: 'jpg', width: 4, height: 2 });
    const { base64 } = payload as { base64: string };
    expect(Buffer.from(base64, 'base64').readUInt16BE(0)).toBe(0xffd8);
    expect(ports.runs[0]!.args.join(' ')).toBe(
      '-hide_banner -loglevel error -nostdin -f v4l2 -i /dev/video10 -ss 0.25 -frames:v 1 -c:v ppm -f image2pipe pipe:1',
    );
  });

  it('is returned as an image with its media type', () => {
    const { media } = createCameraCapability(recordedPorts({}), {
      limits: DEFAULT_LIMITS,
      browser: browserWith([]),
    }).commands.get('camera.snap')!;
    expect(media!({ format: 'jpg', base64: 'AA==' })).toEqual([
      { type: 'image', data: 'AA==', mimeType: 'image/jpeg' },
    ]);
  });

  it('is never taken from a file that is not a camera', async () => {
    const { ports, run } = camera({});
    await expect(run('camera.snap', { deviceId: '/etc/passwd' })).rejects.toMatchObject({
      message: 'Snap failed',
      hint: 'No camera has this deviceId. camera.list returns the valid ones.',
      notExecuted: true,
    });
    expect(ports.runs).toEqual([]);
  });

  it('is taken by the browser if ffmpeg finds no camera', async () => {
    const scripts: string[] = [];
    const browser = browserWith({ width: 2, height: 1, base64: 'AAAA' }, scripts);
    const { run } = camera({}, browser, join(folder, 'nothing'));
    expect(await run('camera.snap', { maxWidth: 320 })).toEqual({
      format: 'jpeg',
      width: 2,
      height: 1,
      base64: 'AAAA',
    });
    expect(scripts[0]).toContain('"maxWidth":320');
  });
});

describe('command lines', () => {
  it('name the camera as each system does', () => {
    verifies('000-summary-other-systems');
    expect(cameraInput('darwin', '0').join(' ')).toBe('-f avfoundation -framerate 30 -i 0:none');
    expect(cameraInput('win32', 'HD "Cam"').at(-1)).toBe('video=HD "Cam"');
    expect(snapArgs('win32', 'Cam', { delayMs: 500 }).join(' ')).toContain(
      '-f dshow -rtbufsize 64M -i video=Cam -ss 0.5',
    );
  });

  it('of a clip on a Mac have the camera and the microphone', async () => {
    const answer: Machine['answer'] = ({ args }) => {
      if (args.includes('-list_devices')) return { exitCode: 1, stderr: Buffer.from(MAC_LIST) };
      if (args.includes('-encoders')) return { stdout: Buffer.from(' V..... h264_videotoolbox x') };
      writeFileSync(args.at(-1)!, 'clip');
      return {};
    };
    const { ports, run } = camera({ platform: 'darwin', answer });
    expect(await run('camera.clip', { durationMs: 1_000 })).toEqual({
      format: 'mp4',
      durationMs: 1_000,
      hasAudio: true,
      base64: Buffer.from('clip').toString('base64'),
    });
    expect(ports.runs.at(-1)!.args.join(' ')).toContain(
      '-t 1 -f avfoundation -framerate 30 -i 0:none -t 1 -f avfoundation -i :default -c:v h264_videotoolbox',
    );
  });
});

describe('failures', () => {
  const refusedBy = (name: string, platform: NodeJS.Platform = 'linux') =>
    cameraFailure(new CameraRefused(name, 'secret'), SNAP_TEXTS, platform);

  it('name what blocks the camera', () => {
    verifies('000-security-os-consent');
    expect(refusedBy('NotAllowedError', 'win32').message).toBe(
      'Camera access blocked. Enable camera access for desktop apps in Windows Privacy settings.',
    );
    const end = { reason: 'exited with code 1', stderr: Buffer.from('/dev/video0: Permission denied') };
    const denied = new ProgramFailure('ffmpeg', end as never);
    expect(cameraFailure(denied, SNAP_TEXTS, 'linux')).toMatchObject({
      code: 'CAMERA_PERMISSION_REQUIRED',
      message: expect.stringContaining('group video') as unknown,
    });
  });

  it('distinguish a missing camera from one in use', () => {
    expect(refusedBy('NotFoundError')).toMatchObject({
      message: 'Camera snap not available',
      hint: 'No camera is connected.',
      code: 'CAMERA_UNAVAILABLE',
      notExecuted: true,
    });
    expect(refusedBy('NotReadableError')).toMatchObject({
      message: 'Snap failed',
      hint: 'Another program uses the camera.',
    });
    expect(refusedBy('SomethingElse').message).toBe('Snap failed');
  });

  it('of formats are reported before a camera is opened', async () => {
    const { ports, run } = camera({});
    await expect(run('camera.snap', { format: 'gif' })).rejects.toThrow('Unsupported camera image format');
    await expect(run('camera.clip', { format: 'webm' })).rejects.toThrow('Only mp4 is supported');
    expect(ports.runs).toEqual([]);
  });

  it('without ffmpeg and a browser name what to install', async () => {
    const env = { PATH: join(folder, 'nothing'), PINCER_BROWSER: join(folder, 'nothing') };
    const { run, readiness } = camera({ env });
    for (const [name, message] of [
      ['camera.list', 'Camera list not available'],
      ['camera.snap', 'Camera snap not available'],
      ['camera.clip', 'Camera clip not available'],
    ] as const)
      await expect(run(name)).rejects.toMatchObject({
        message,
        code: 'CAMERA_UNAVAILABLE',
        notExecuted: true,
      });
    expect(await readiness!()).toEqual([
      expect.objectContaining({
        available: false,
        hint: expect.stringContaining('install ffmpeg') as unknown,
      }),
    ]);
  });

  it('of a clip that is too large have the documented code', async () => {
    const { run } = camera({}, browserWith({ isTooLarge: true }), join(folder, 'nothing'));
    await expect(run('camera.clip')).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });
});
