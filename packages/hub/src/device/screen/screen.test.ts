import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedPorts, runCommand, type Machine } from '../../../../../test/kit/device-ports.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import { pictureFormat } from '../media/picture.ts';
import { RECORD_INPUT, screenOf, SNAPSHOT_INPUT } from './capability.ts';
import {
  type SnapshotBackend,
  type SnapshotOptions,
  snapshotBackends,
  snapshotArgs,
  grimArgs,
  outputNames,
  screencaptureArgs,
  sipsArgs,
} from './backends.ts';
import { grabInput } from './record.ts';
import { createScreenCapability } from './capability.ts';
import { inOrder, regionOf, screenAt, sessionOf } from './screens.ts';
import { takeSnapshot } from './capability.ts';
import { verifies } from '../../../../../test/verifies.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-screen-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function pathWith(...names: string[]): string {
  const path = join(folder, names.join('+') || 'none');
  mkdirSync(path, { recursive: true });
  for (const name of names) {
    writeFileSync(join(path, name), '');
    chmodSync(join(path, name), 0o700);
  }
  return path;
}

const command = (name: string, machine: Machine) =>
  createScreenCapability(recordedPorts(machine), { limits: DEFAULT_LIMITS }).commands.get(name);

describe('arguments', () => {
  it('have the documented defaults', () => {
    expect(SNAPSHOT_INPUT.parse({})).toEqual({ format: 'png', maxWidth: 1920, quality: 80 });
    expect(RECORD_INPUT.parse({})).toEqual({
      durationMs: 10_000,
      fps: 10,
      includeAudio: false,
      format: 'mp4',
    });
  });

  it('are clamped, and values of the wrong type count as absent', () => {
    expect(SNAPSHOT_INPUT.parse({ maxWidth: 1, quality: 900 })).toMatchObject({ maxWidth: 16, quality: 100 });
    expect(SNAPSHOT_INPUT.parse({ maxWidth: 1e6, quality: 0 })).toMatchObject({ maxWidth: 7680, quality: 1 });
    expect(SNAPSHOT_INPUT.parse({ maxWidth: '5', includePointer: 1 })).toMatchObject({ maxWidth: 1920 });
    expect(RECORD_INPUT.parse({ durationMs: -5, fps: 0.1 })).toMatchObject({ durationMs: 100, fps: 1 });
    expect(RECORD_INPUT.parse({ durationMs: 1e9, fps: 'x' })).toMatchObject({ durationMs: 300_000, fps: 10 });
  });

  it('accept two names of the screen', () => {
    expect(screenOf({ screenIndex: 2, monitor: 1 })).toBe(2);
    expect(screenOf({ monitor: 1 })).toBe(1);
    expect([screenOf({}), screenOf({ screenIndex: -4 }), screenOf({ monitor: 99 })]).toEqual([0, 0, 32]);
  });

  it('accept a format in any spelling', () => {
    expect(['png', 'JPEG', ' jpg ', ''].map(pictureFormat)).toEqual(['png', 'jpeg', 'jpeg', 'png']);
    expect(pictureFormat('webp')).toBeUndefined();
  });
});

describe('refusals', () => {
  it('of a format have the documented texts', async () => {
    await expect(runCommand(command('screen.snapshot', {}), { format: 'webp' })).rejects.toMatchObject({
      message: 'Unsupported screen snapshot format. Supported formats: png, jpeg.',
      notExecuted: true,
    });
    await expect(runCommand(command('screen.record', {}), { format: 'webm' })).rejects.toMatchObject({
      message: 'Unsupported screen recording format. Only mp4 is supported.',
      notExecuted: true,
    });
  });

  it('without a display name the next step', async () => {
    for (const [name, message] of [
      ['screen.snapshot', 'Screen capture not available'],
      ['screen.record', 'Screen recording not available'],
    ] as const)
      await expect(runCommand(command(name, { env: { PATH: pathWith('ffmpeg') } }))).rejects.toMatchObject({
        message,
        code: 'SCREEN_UNAVAILABLE',
        notExecuted: true,
        hint: expect.stringContaining('set DISPLAY') as unknown,
      });
  });

  it('of a recording name the missing program or the unsuitable session', async () => {
    await expect(
      runCommand(command('screen.record', { env: { PATH: pathWith(), DISPLAY: ':0' } })),
    ).rejects.toMatchObject({ message: 'Screen recording not available', hint: 'Install ffmpeg.' });
    await expect(
      runCommand(
        command('screen.record', { env: { PATH: pathWith('ffmpeg'), WAYLAND_DISPLAY: 'wayland-0' } }),
      ),
    ).rejects.toMatchObject({ hint: expect.stringContaining('X11') as unknown });
  });

  it('of an unknown screen name the existing ones', () => {
    expect(() => screenAt(['one'], 1, 'Capture failed')).toThrow('Capture failed');
    const failureAt = (screens: string[], index: number): unknown => {
      try {
        return screenAt(screens, index, 'Capture failed');
      } catch (error) {
        return (error as { hint: string }).hint;
      }
    };
    expect(failureAt(['one'], 3)).toBe('The only screen is 0. There is no screen 3.');
    expect(failureAt(['one', 'two'], 2)).toBe('The screens are 0 to 1. There is no screen 2.');
    expect(failureAt([], 0)).toBe('No screen is connected to this display. There is no screen 0.');
    expect(failureAt(['one', 'two'], 1)).toBe('two');
  });
});

describe('the backend of a snapshot', () => {
  const namesOn = (machine: Machine): string[] =>
    snapshotBackends(recordedPorts(machine)).all.map(({ name }) => name);

  it('is chosen by the session, the fastest first', () => {
    expect(namesOn({ env: { DISPLAY: ':0' } })).toEqual(['node-screenshots', 'ffmpeg']);
    expect(namesOn({ env: { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' } })).toEqual([
      'grim',
      'node-screenshots',
    ]);
    expect(namesOn({ platform: 'darwin' })).toEqual(['node-screenshots', 'screencapture', 'ffmpeg']);
    expect(namesOn({ platform: 'win32' })).toEqual(['node-screenshots', 'ffmpeg']);
    expect(namesOn({})).toEqual([]);
  });

  it('detects the session by its variables', () => {
    expect(sessionOf({ platform: 'linux', env: { DISPLAY: '' } })).toBe('none');
    expect(
      sessionOf({ platform: 'linux', env: { XDG_SESSION_TYPE: 'wayland', XDG_RUNTIME_DIR: '/run' } }),
    ).toBe('wayland');
    expect(sessionOf({ platform: 'freebsd', env: { DISPLAY: ':0' } })).toBe('x11');
  });

  it('is ready, or reports what is missing', async () => {
    const readiness = (machine: Machine) =>
      createScreenCapability(recordedPorts(machine), { limits: DEFAULT_LIMITS }).readiness!();
    const states = await readiness({ env: { PATH: pathWith() } });
    expect(states).toEqual([
      expect.objectContaining({
        commands: ['screen.snapshot'],
        available: false,
        reason: 'there is no display',
      }),
      expect.objectContaining({ commands: ['screen.record'], available: false }),
    ]);
    const windows = await readiness({ platform: 'win32', env: { PATH: pathWith('ffmpeg') } });
    expect(windows[1]).toEqual({
      commands: ['screen.record'],
      available: true,
      backend: 'ffmpeg (gdigrab)',
    });
  });
});

describe('a snapshot', () => {
  const { log } = recordedPorts({});
  const signal = new AbortController().signal;
  const options = { format: 'png', maxWidth: 100, quality: 80, screenIndex: 0 } as const;
  const backend = (name: string, parts: Partial<SnapshotBackend> = {}): SnapshotBackend => ({
    name,
    drawsPointer: false,
    missing: () => Promise.resolve(undefined),
    capture: ({ format, pointer }: SnapshotOptions) =>
      Promise.resolve({ format, width: 1, height: 1, bytes: Buffer.from(`${name} ${pointer}`) }),
    ...parts,
  });
  const take = async (
    all: SnapshotBackend[],
    includePointer?: boolean,
    given: AbortSignal = signal,
  ): Promise<{ text: string; hasPointer: boolean }> => {
    const { bytes, hasPointer } = await takeSnapshot(
      { ...options, includePointer },
      { all, hint: 'Install something.' },
      { log, signal: given },
    );
    return { text: bytes.toString(), hasPointer };
  };
  const quick = backend('quick');
  const drawing = backend('drawing', { drawsPointer: true });

  it('uses the fastest backend, unless the pointer is requested', async () => {
    expect(await take([quick, drawing])).toEqual({ text: 'quick true', hasPointer: false });
    expect(await take([quick, drawing], true)).toEqual({ text: 'drawing true', hasPointer: true });
    expect(await take([drawing], false)).toEqual({ text: 'drawing false', hasPointer: false });
    expect(await take([quick], true)).toEqual({ text: 'quick true', hasPointer: false });
  });

  it('falls back to the next backend if one is missing or fails', async () => {
    const absent = backend('absent', { missing: () => Promise.resolve('not installed') });
    const broken = backend('broken', { capture: () => Promise.reject(new Error('/dev/secret')) });
    expect(await take([absent, broken, quick])).toMatchObject({ text: 'quick true' });
    await expect(take([absent, broken])).rejects.toMatchObject({
      message: 'Capture failed',
      cause: expect.objectContaining({ message: '/dev/secret' }) as unknown,
    });
    await expect(take([absent])).rejects.toMatchObject({
      message: 'Screen capture not available',
      hint: 'Install something.',
    });
  });

  it('can be cancelled even if the backend cannot be stopped', async () => {
    const never = backend('never', { capture: () => new Promise(() => undefined) });
    const stop = new AbortController();
    const taken = take([never, quick], undefined, stop.signal);
    stop.abort();
    await expect(taken).rejects.toMatchObject({ message: 'cancelled' });
  });
});

describe('command lines', () => {
  const region = { x: 1920, y: 0, width: 1280, height: 800 };
  const grab = { display: ':1', screenIndex: 1, region, pointer: true, fps: 10 } as const;

  it('of ffmpeg name the screen for each system', () => {
    verifies('000-summary-other-systems');
    expect(grabInput({ ...grab, platform: 'linux' }).join(' ')).toBe(
      '-f x11grab -draw_mouse 1 -framerate 10 -video_size 1280x800 -i :1+1920,0',
    );
    expect(grabInput({ ...grab, platform: 'linux', region: undefined, pointer: false }).join(' ')).toBe(
      '-f x11grab -draw_mouse 0 -framerate 10 -i :1',
    );
    expect(grabInput({ ...grab, platform: 'darwin' })).toEqual(
      expect.arrayContaining(['avfoundation', '-capture_cursor', 'Capture screen 1:none']),
    );
    expect(grabInput({ ...grab, platform: 'win32' }).join(' ')).toBe(
      '-f gdigrab -draw_mouse 1 -framerate 10 -offset_x 1920 -offset_y 0 -video_size 1280x800 -i desktop',
    );
    expect(grabInput({ ...grab, platform: 'win32', region: undefined }).at(-1)).toBe('desktop');
  });

  it('of ffmpeg take one picture', () => {
    const args = snapshotArgs({ ...grab, platform: 'linux' }).join(' ');
    expect(args).toMatch(/^-hide_banner .* -framerate 60 .* -frames:v 1 -c:v ppm -f image2pipe pipe:1$/);
  });

  it('of grim name the output', () => {
    expect(grimArgs('DP-1', true)).toEqual(['-t', 'ppm', '-c', '-o', 'DP-1', '-']);
    expect(grimArgs(undefined, false)).toEqual(['-t', 'ppm', '-']);
    expect(
      outputNames(
        '[{"name":"eDP-1","enabled":true},{"name":"DP-1","enabled":false},{"name":"X","active":true}]',
      ),
    ).toEqual(['eDP-1', 'X']);
  });

  it('of macOS suppress the sound, count screens from one, and scale', () => {
    expect(screencaptureArgs({ screenIndex: 0, pointer: true }, '/x.png').join(' ')).toBe(
      '-x -C -D 1 -t png /x.png',
    );
    expect(sipsArgs({ format: 'jpeg', quality: 70 }, 800, { from: 'a', to: 'b' }).join(' ')).toBe(
      '--resampleWidth 800 -s format jpeg -s formatOptions 70 a --out b',
    );
  });
});

describe('screens', () => {
  const monitor = (x: number, isPrimary = false) => ({
    x: () => x,
    y: () => 0,
    width: () => 1280,
    height: () => 720,
    scaleFactor: () => 1.5,
    isPrimary: () => isPrimary,
  });

  it('are ordered from the main one, then from left to right', () => {
    expect(inOrder([monitor(1280), monitor(0), monitor(2560, true)]).map(({ x }) => x())).toEqual([
      2560, 0, 1280,
    ]);
  });

  it('have regions in pixels', () => {
    expect(regionOf(monitor(1280), 'linux')).toEqual({ x: 1920, y: 0, width: 1920, height: 1080 });
    expect(regionOf(monitor(1280), 'win32')).toEqual({ x: 1280, y: 0, width: 1280, height: 720 });
  });
});
