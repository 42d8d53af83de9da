import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../../../../test/kit/processes.ts';
import { openBrowser, openerOf } from './open-browser.ts';

const SHELL_CHARACTERS = 'https://a.example.com/?x=$(calc)&y=`id`&z=";rm -rf /|cat <\'>&--flag=%22#\\';

describe('openerOf', () => {
  it.each([
    ['linux', 'xdg-open', 0],
    ['freebsd', 'xdg-open', 0],
    ['darwin', '/usr/bin/open', 0],
    ['win32', 'rundll32.exe', 1],
  ] as const)('on %s is %s, with the address as the last argument', (platform, command, before) => {
    const opener = openerOf(platform, SHELL_CHARACTERS)!;
    expect(opener.command).toBe(command);
    expect(opener.args).toHaveLength(before + 1);
    expect(opener.args.at(-1)).toMatch(/^https:\/\/a\.example\.com\/\?x=/);
    expect(opener.args.at(-1)).not.toMatch(/[\s"'<>`$()|\\{}^]/);
  });

  it('opens pages of this machine, too', () =>
    expect(openerOf('linux', 'http://127.0.0.1:8080/x')?.args).toEqual(['http://127.0.0.1:8080/x']));

  it.each([
    'http://example.com/',
    'http://127.evil.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'ms-msdt:/id',
    '--help',
    '-x',
    '$(calc)',
    '/etc/passwd',
    'C:\\Windows\\System32\\calc.exe',
    '',
  ])('opens nothing for %s', (address) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      expect(openerOf(platform, address)).toBeUndefined();
  });
});

describe('openBrowser', () => {
  it('starts the opener with exactly one argument, without a shell', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pincer-opener-'));
    try {
      const log = join(folder, 'log');
      writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" > '${log}'\n`);
      chmodSync(join(folder, 'xdg-open'), 0o755);
      const env = { PATH: `${folder}:/bin:/usr/bin`, DISPLAY: ':0' };
      expect(await openBrowser('https://a.example.com/?x=$(touch%20y);z', 'linux', env)).toBe(true);
      const read = (): string => {
        try {
          return readFileSync(log, 'utf8');
        } catch {
          return '';
        }
      };
      await eventually(() => read().split('\n').length > 2, 10_000);
      expect(read()).toBe('1\nhttps://a.example.com/?x=%24%28touch%20y%29;z\n');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('returns false if nothing can be opened', async () => {
    const long = `https://a.example.com/?${'x'.repeat(200_000)}`;
    expect(await openBrowser(long, 'linux', { PATH: process.env['PATH'], DISPLAY: ':0' })).toBe(false);
    expect(await openBrowser('https://a.example.com/', 'linux', { PATH: '/nowhere', DISPLAY: ':0' })).toBe(
      false,
    );
    expect(await openBrowser('https://a.example.com/', 'linux', { PATH: process.env['PATH'] })).toBe(false);
    expect(
      await openBrowser('file:///etc/passwd', 'linux', { PATH: process.env['PATH'], DISPLAY: ':0' }),
    ).toBe(false);
  });
});
