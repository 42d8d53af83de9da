import { expect, test } from 'vitest';
import { encodedCommand } from './inline-code.ts';

const encode = (text: string): string => Buffer.from(text, 'utf16le').toString('base64');

test.each(['-e', '-ec', '-en', '-enc', '-EncodedCommand', '/enc', '–encodedcommand'])('%s', (flag) => {
  expect(encodedCommand(['powershell.exe', '-NoProfile', flag, encode('Remove-Item x')])).toEqual({
    payload: 'Remove-Item x',
  });
});

test.each([
  ['%%%', 'EncodedCommand could not be decoded'],
  ['', 'EncodedCommand could not be decoded'],
  ['QQ==', 'EncodedCommand could not be decoded'],
  [encode('  '), 'EncodedCommand decoded to an empty payload'],
])('reports a problem for %j', (text, problem) => {
  expect(encodedCommand(['pwsh', '-enc', text])).toEqual({ problem });
});

test('returns undefined for other programs and options', () => {
  expect(encodedCommand(['bash', '-e', 'AAAA'])).toBeUndefined();
  expect(encodedCommand(['pwsh', '-ExecutionPolicy', 'Bypass'])).toBeUndefined();
});
