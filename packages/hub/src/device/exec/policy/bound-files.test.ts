import { expect, test } from 'vitest';
import { boundFiles } from './bound-files.ts';

const isBound = (...argv: string[]): boolean => {
  const operands = argv.filter((word) => /[/\\]/.test(word)).map((path) => ({ path, sha256: path }));
  return boundFiles({ argv, path: argv[0]!, operands }) !== undefined;
};

test.each<string[][]>([
  [['/home/a/tool']],
  [['/usr/local/bin/tool']],
  [['/opt/homebrew/bin/tool']],
  [[String.raw`C:\Windows\Temp\tool.exe`]],
  [['/usr/bin/python3', '/home/a/job.py']],
  [['/usr/bin/nice', '/home/a/tool']],
  [['/usr/bin/flock', '/tmp/lock', '/home/a/tool']],
  [['/usr/bin/tar', '-I', '/home/a/tool', '-xf', 'a.tar']],
])('%j is held to its files', (argv) => expect(isBound(...argv)).toBe(true));

test.each<string[][]>([
  [['/usr/bin/git', 'status']],
  [['/opt/tool/bin/tool']],
  [[String.raw`C:\Windows\System32\whoami.exe`]],
  [['/usr/bin/cat', '/home/a/notes']],
  [['/usr/bin/tar', '-xf', '/home/a/a.tar']],
  [['/usr/bin/python3', '/usr/share/job.py']],
])('%j is not: an administrator changes it, or it is only read', (argv) =>
  expect(isBound(...argv)).toBe(false),
);
