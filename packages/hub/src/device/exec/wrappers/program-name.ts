/** What a program is called, whatever version, ending or case its file's name has. */
import { posix, win32 } from 'node:path';

/** Packages of systems have several of one program: `vim.basic`, `nc.openbsd`, `bash-static`. */
const VARIANT = /[.-](?:basic|tiny|nox|gtk|athena|openbsd|traditional|static|dbg|multiarch|real|wrapped)$/;

/** Tools for one kind of machine: `x86_64-linux-gnu-gcc`. */
const CROSS = /^[a-z0-9_]+-(?:[a-z0-9]+-)?linux-(?:gnu|musl|android)[a-z0-9]*-/;

/** `/usr/bin/python3.11` is `python`, `perl5.36-x86_64-linux-gnu` is `perl`, `C:\…\PowerShell.EXE` is `powershell`. */
export function programName(path: string): string {
  const file = path.includes('\\') ? win32.basename(path) : posix.basename(path);
  const plain = file
    .toLowerCase()
    .replace(/\.(?:exe|com)$/, '')
    .replace(CROSS, '');
  return plain
    .replace(/(?<=[a-z+])[-.]?\d[\d.]*$/, '')
    .replace(VARIANT, '')
    .replace(/(?<=^[a-z]+)[-.]?\d.*$/, '');
}

/** Programs that are whatever they are called as. */
const MANY_IN_ONE: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils']);

/** All names that a file may run under: the one that it was found by, and the one that links led to. */
export function programNames(found: string, path: string): ReadonlySet<string> {
  const [called, real] = [programName(found), programName(path)];
  return new Set(called !== real && MANY_IN_ONE.has(real) ? [called] : [called, real]);
}
