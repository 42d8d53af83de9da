import { expect, test } from 'vitest';
import { programName } from './machine.ts';

test.each([
  ['/usr/bin/python3.11', 'python'],
  ['/usr/bin/python3', 'python'],
  ['/usr/bin/perl5.36.0', 'perl'],
  ['/usr/bin/php-8.2', 'php'],
  ['/usr/bin/perl5.36-x86_64-linux-gnu', 'perl'],
  ['/usr/bin/vim.basic', 'vim'],
  ['/usr/bin/vim.gtk3', 'vim'],
  ['/bin/bash-static', 'bash'],
  ['/lib64/ld-linux-x86-64.so.2', 'ld-linux-x86-64.so'],
  ['/usr/bin/node', 'node'],
  [String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\PowerShell.EXE`, 'powershell'],
  [String.raw`C:\Windows\System32\cmd.exe`, 'cmd'],
  ['/usr/bin/x86_64-linux-gnu-gcc-12', 'gcc'],
  ['/usr/bin/aarch64-linux-gnu-g++-12', 'g++'],
  ['/opt/7z', '7z'],
  ['/opt/42', '42'],
])('the name of %s is %s', (path, name) => expect(programName(path)).toBe(name));
