import { expect, it, describe } from 'vitest';
import type { ProgramEnd } from '../../core/program.ts';
import { endedWell, failureOfProgram, ProgramFailure, desktopEnvironment } from './run-program.ts';

const end = (some: Partial<ProgramEnd>): ProgramEnd => ({
  kind: 'exited',
  reason: 'ended with exit code 1',
  exitCode: 1,
  stdout: Buffer.alloc(0),
  stderr: Buffer.from('/dev/video0: busy\n'),
  dropped: { stdout: 0, stderr: 0 },
  ...some,
});

it('a program ended well if it exited by itself with code 0', () => {
  expect(endedWell(end({ exitCode: 0 }))).toBe(true);
  expect(endedWell(end({}))).toBe(false);
  expect(endedWell(end({ exitCode: null }))).toBe(false);
  expect(endedWell(end({ kind: 'too-much', exitCode: 0 }))).toBe(false);
});

it('the output of a failed program is only for the log', () => {
  const failure = failureOfProgram('ffmpeg', end({}), {
    text: 'Capture failed',
    hint: 'Try again.',
    code: 'X',
  });
  expect(failure).toMatchObject({ message: 'Capture failed', hint: 'Try again.', code: 'X' });
  expect(failure.cause).toBeInstanceOf(ProgramFailure);
  expect((failure.cause as Error).message).toBe('ffmpeg ended with exit code 1: /dev/video0: busy');
});

it('keeps the end of a long output', () => {
  const stderr = Buffer.from(`${'x'.repeat(5_000)}last`);
  const { message } = new ProgramFailure('ffmpeg', end({ stderr }));
  expect(message).toMatch(/xlast$/);
  expect(message.length).toBeLessThan(2_100);
});

it('an aborted program counts as cancelled, with the text of its command', () => {
  const aborted = end({ kind: 'aborted', exitCode: null });
  expect(failureOfProgram('a', aborted, { text: 'x', hint: 'y' })).toMatchObject({
    message: 'cancelled',
    hint: undefined,
  });
  expect(failureOfProgram('a', aborted, { text: 'x', cancelled: 'Speak canceled' }).message).toBe(
    'Speak canceled',
  );
});

describe('the environment of a program of the desktop', () => {
  it('has the display, the session and the search path', () => {
    const env = {
      PATH: '/usr/bin',
      DISPLAY: ':0',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
      HOME: '/home/me',
    };
    expect(desktopEnvironment(env)).toEqual(env);
  });

  it('has no other variables of the hub, such as keys or options of Node', () => {
    const env = { OPENAI_API_KEY: 'secret', NODE_OPTIONS: '--inspect', LD_PRELOAD: '/x.so', PATH: '/bin' };
    expect(desktopEnvironment(env)).toEqual({ PATH: '/bin' });
  });

  it('has no relative folders in its search path', () => {
    const posix = '.:/usr/bin::node_modules/.bin:/bin';
    expect(desktopEnvironment({ PATH: posix }, 'linux')).toEqual({ PATH: '/usr/bin:/bin' });
    const windows = '.;C:\\Windows;;node_modules\\.bin;D:\\Tools';
    expect(desktopEnvironment({ Path: windows }, 'win32')).toEqual({ Path: 'C:\\Windows;D:\\Tools' });
  });

  it('omits unset variables, and keeps the spelling of names on Windows', () => {
    const env = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', LANG: undefined };
    expect(desktopEnvironment(env, 'win32')).toEqual({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
  });
});
