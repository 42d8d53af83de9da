import { describe, expect, it } from 'vitest';
import { isWholePath, wholeSearchPath, withWholePaths } from './process.ts';

describe('a search path', () => {
  it.each([
    ['/usr/bin:.:/bin', '/usr/bin:/bin'],
    [':/usr/bin', '/usr/bin'],
    ['/usr/bin:', '/usr/bin'],
    ['/usr/bin::/bin', '/usr/bin:/bin'],
    ['node_modules/.bin:/usr/bin', '/usr/bin'],
    ['./bin:../bin:~/bin:/usr/bin', '/usr/bin'],
  ])('%s becomes %s on Linux and macOS', (path, whole) => {
    expect(withWholePaths(path, 'linux')).toBe(whole);
    expect(withWholePaths(path, 'darwin')).toBe(whole);
  });

  it.each([
    [String.raw`C:\bin;.;D:/tools`, String.raw`C:\bin;D:/tools`],
    [String.raw`;bin;C:bin;\\server\share\bin`, String.raw`\\server\share\bin`],
    [String.raw`"C:\Program Files\x";node_modules\.bin`, String.raw`"C:\Program Files\x"`],
  ])('%s becomes %s on Windows', (path, whole) => expect(withWholePaths(path, 'win32')).toBe(whole));

  it('is never empty, because that would mean the current folder', () => {
    for (const path of ['', '.', ':', 'bin:./bin'])
      expect(wholeSearchPath(path, 'linux')).toBe('/usr/local/bin:/usr/bin:/bin');
    expect(wholeSearchPath('.', 'win32')).toContain('System32');
  });

  it('recognizes an absolute path', () => {
    expect(isWholePath('/x', 'linux')).toBe(true);
    expect(isWholePath('C:\\x', 'linux')).toBe(false);
    expect(isWholePath('C:\\x', 'win32')).toBe(true);
  });
});
