/** What a plan needs to know of this machine's files. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Environment } from '../../../lib/environment.ts';
import { findProgram } from '../../programs/find-program.ts';

export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'other';
  readonly size: number;
  /** Differs after each change of the file; taken without reading it. */
  readonly stamp: string;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  /** A program by its name alone. */
  find(name: string): string | undefined;
  /** All links followed; undefined: it does not exist, or its path is not UTF-8. */
  realPath(path: string): string | undefined;
  facts(path: string): FileFacts | undefined;
  canExecute(path: string): boolean;
  /** At most so many bytes of a regular file. */
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

/** Paths are bytes: one that is not UTF-8 would, as text, name another file. */
function asText(name: Buffer): string {
  const text = name.toString('utf8');
  if (!Buffer.from(text).equals(name)) throw new Error('no text');
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
  // Without waiting: what was a file a moment ago may be a pipe that nobody writes to.
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
