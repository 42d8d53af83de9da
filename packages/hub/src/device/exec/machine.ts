/** Files and programs of this machine, as plans see them: a port to the file system, executables and their names. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, resolve, posix, win32 } from 'node:path';
import type { Environment } from '../../lib/process.ts';
import { findProgram } from '../programs/find-program.ts';

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  /** Changes with each change of the file. Taken from its metadata. */
  readonly stamp: string;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Finds a program on the PATH. */
  find(name: string): string | undefined;
  /** Follows all links. Undefined if the path does not exist or is not UTF-8. */
  realPath(path: string): string | undefined;
  facts(path: string): FileFacts | undefined;
  canExecute(path: string): boolean;
  /** Reads at most `maxBytes` of a regular file. */
  read(path: string, maxBytes: number): Promise<Buffer>;
}

export const openMachine = (env: Environment, platform: NodeJS.Platform): Machine => ({
  platform,
  find: (name) => findProgram(name, env, platform),
  realPath: (path) => orNothing(() => asText(realpathSync.native(path, 'buffer'))),
  facts: (path) => orNothing(() => factsOf(path)),
  canExecute: (path) =>
    orNothing(() => {
      accessSync(path, constants.X_OK);
      return true;
    }) ?? false,
  read: readBeginning,
});

/** Paths are bytes. As text, a path that is not UTF-8 would name another file. */
function asText(name: Buffer): string {
  const text = name.toString('utf8');
  if (!Buffer.from(text).equals(name)) throw new Error('not UTF-8');
  return text;
}

function factsOf(path: string): FileFacts {
  const stat = statSync(path, { bigint: true });
  return {
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other',
    size: Number(stat.size),
    stamp: `${stat.dev}-${stat.ino}-${stat.size}-${stat.mtimeNs}-${stat.ctimeNs}`,
  };
}

async function readBeginning(path: string, maxBytes: number): Promise<Buffer> {
  // O_NONBLOCK: the file may have been replaced by a pipe without a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new Error('not a regular file');
    const buffer = Buffer.allocUnsafe(maxBytes);
    let size = 0;
    while (size < maxBytes) {
      const { bytesRead } = await file.read(buffer, size, maxBytes - size, size);
      if (bytesRead === 0) break;
      size += bytesRead;
    }
    return buffer.subarray(0, size);
  } finally {
    await file.close();
  }
}

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

export interface Executable {
  /** The path before links are followed. */
  readonly found: string;
  /** The path after links are followed. */
  readonly path: string;
}

/** Accessing such a path makes Windows authenticate to the named machine, even before an approval. */
export const isNetworkPath = (path: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' && /^[\\/]{2}/.test(path);

export function findExecutable(word: string, cwd: string, machine: Machine): Executable | undefined {
  if (word === '' || word.includes('\0') || isNetworkPath(word, machine.platform)) return undefined;
  const isPath =
    isAbsolute(word) || word.includes('/') || (machine.platform === 'win32' && /[\\:]/.test(word));
  const found = isPath ? resolve(cwd, word) : machine.find(word);
  const path = found === undefined ? undefined : machine.realPath(found);
  if (found === undefined || path === undefined) return undefined;
  return machine.facts(path)?.kind === 'file' && machine.canExecute(path) ? { found, path } : undefined;
}

/** Windows always runs these in a shell. */
export const isBatchScript = (path: string): boolean => /\.(?:bat|cmd)[ .]*$/i.test(path);

/** Variants of a program in distributions: `vim.basic`, `nc.openbsd`, `bash-static`. */
const VARIANT = /[.-](?:basic|tiny|nox|gtk|athena|openbsd|traditional|static|dbg|multiarch|real|wrapped)$/;

/** Prefixes of cross tools: `x86_64-linux-gnu-gcc`. */
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

/** Multi-call programs: they behave according to the name that they are called by. */
const MANY_IN_ONE: ReadonlySet<string> = new Set(['busybox', 'toybox', 'coreutils']);

/** All names of a program: before and after links are followed. */
export function programNames(found: string, path: string): ReadonlySet<string> {
  const [called, real] = [programName(found), programName(path)];
  return new Set(called !== real && MANY_IN_ONE.has(real) ? [called] : [called, real]);
}

/** Paths of files that only an administrator can change. Homebrew's files belong to the user. */
const ADMINISTRATORS =
  /^(?!\/usr\/local\/|\/opt\/homebrew\/|[A-Z]:\\Windows\\Temp\\)(?:\/(?:usr|bin|sbin|lib|lib64|opt|nix\/store|snap|System|Library)\/|[A-Z]:\\(?:Windows|Program Files(?: \(x86\))?)\\)/i;

export const isAdminOnly = (path: string): boolean => ADMINISTRATORS.test(path);
