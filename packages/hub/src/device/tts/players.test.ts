import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { placePrograms } from '../../../../../test/kit/device/placed-programs.ts';
import { playerOf, wavDurationMs } from './players.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pincer-player-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const install = (name: string): void => placePrograms(folder, name);

it('finds a sound server of the session, or a sound card', () => {
  install('paplay');
  const cards = join(folder, 'cards');
  const can = (env: Record<string, string>): boolean =>
    'play' in playerOf('linux', { PATH: folder, ...env }, cards);
  expect(can({})).toBe(false);
  expect(can({ PULSE_SERVER: 'tcp:x' })).toBe(true);
  expect(can({ XDG_RUNTIME_DIR: folder })).toBe(false);
  mkdirSync(join(folder, 'pulse'));
  writeFileSync(join(folder, 'pulse', 'native'), '');
  expect(can({ XDG_RUNTIME_DIR: folder })).toBe(true);
  writeFileSync(cards, '--- no soundcards ---\n');
  expect(can({})).toBe(false);
  writeFileSync(cards, ' 0 [PCH            ]: HDA-Intel - HDA Intel PCH\n');
  expect(can({})).toBe(true);
});

it('uses the player of macOS and Windows', () => {
  const mac = playerOf('darwin', {});
  expect('play' in mac && mac.play('/t/x.wav')).toEqual({ command: '/usr/bin/afplay', args: ['/t/x.wav'] });
  const windows = playerOf('win32', {});
  expect('play' in windows && windows.play(String.raw`C:\x.wav`)).toMatchObject({
    variables: { PINCER_SPEECH_FILE: String.raw`C:\x.wav` },
  });
});

it.each([
  ['', undefined],
  ['RIFF', undefined],
  ['RIFF\0\0\0\0WAVE', undefined],
  ['RIFF\0\0\0\0AVI fmt ', undefined],
  ['RIFF\0\0\0\0WAVEdata\x04\0\0\0abcd', undefined],
  [
    'RIFF\0\0\0\0WAVELIST\x01\0\0\0x\0fmt \x10\0\0\0________\x64\0\0\0____data\xff\xff\xff\x7f0123456789',
    100,
  ],
])('the duration of %j is %s', (text, expected) => {
  expect(wavDurationMs(Buffer.from(text, 'latin1'))).toBe(expected);
});
