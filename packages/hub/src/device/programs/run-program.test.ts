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

it('a program ended well if it ended by itself, and with nothing to complain about', () => {
  expect(endedWell(end({ exitCode: 0 }))).toBe(true);
  expect(endedWell(end({}))).toBe(false);
  expect(endedWell(end({ exitCode: null }))).toBe(false);
  expect(endedWell(end({ kind: 'too-much', exitCode: 0 }))).toBe(false);
});

it('what a program wrote is for the log alone', () => {
  const failure = failureOfProgram('ffmpeg', end({}), {
    text: 'Capture failed',
    hint: 'Try again.',
    code: 'X',
  });
  expect(failure).toMatchObject({ message: 'Capture failed', hint: 'Try again.', code: 'X' });
  expect(failure.cause).toBeInstanceOf(ProgramFailure);
  expect((failure.cause as Error).message).toBe('ffmpeg ended with exit code 1: /dev/video0: busy');
});

it('of many words the last ones are kept', () => {
  const stderr = Buffer.from(`${'x'.repeat(5_000)}last`);
  const { message } = new ProgramFailure('ffmpeg', end({ stderr }));
  expect(message).toMatch(/xlast$/);
  expect(message.length).toBeLessThan(2_100);
});

it('what nobody wants any more is cancelled, in the words of its command', () => {
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
  it('names the display, the session and where programs are', () => {
    const env = {
      PATH: '/usr/bin',
      DISPLAY: ':0',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
      HOME: '/home/me',
    };
    expect(desktopEnvironment(env)).toEqual(env);
  });

  it('has nothing else of the hub, neither keys nor options of Node', () => {
    const env = { OPENAI_API_KEY: 'secret', NODE_OPTIONS: '--inspect', LD_PRELOAD: '/x.so', PATH: '/bin' };
    expect(desktopEnvironment(env)).toEqual({ PATH: '/bin' });
  });

  it('leads to no program in the folder that the hub happens to be in', () => {
    const posix = '.:/usr/bin::node_modules/.bin:/bin';
    expect(desktopEnvironment({ PATH: posix }, 'linux')).toEqual({ PATH: '/usr/bin:/bin' });
    const windows = '.;C:\\Windows;;node_modules\\.bin;D:\\Tools';
    expect(desktopEnvironment({ Path: windows }, 'win32')).toEqual({ Path: 'C:\\Windows;D:\\Tools' });
  });

  it('leaves out what is not set, and keeps the names of Windows as they are written there', () => {
    const env = { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', LANG: undefined };
    expect(desktopEnvironment(env, 'win32')).toEqual({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
  });
});
