import { expect, it } from 'vitest';
import type { ProgramEnd } from '../../core/program.ts';
import { endedWell, failureOfProgram, ProgramFailure } from './program-failure.ts';

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
