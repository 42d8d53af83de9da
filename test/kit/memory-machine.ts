/** A machine whose files are in memory, so that tests can make thousands of plans. */
import { posix } from 'node:path';
import type { Machine } from '../../packages/hub/src/device/exec/machine.ts';

export interface MemoryFile {
  readonly content: string;
  readonly executable?: boolean;
  /** The target, if this is a symbolic link. */
  readonly link?: string;
}

export interface MemoryOptions {
  readonly path?: readonly string[];
  readonly platform?: NodeJS.Platform;
}

/** Files by path; their parent folders exist too. Changes of the map take effect at once. */
export function memoryMachine(
  files: Map<string, MemoryFile>,
  { path = ['/usr/bin', '/bin'], platform = 'linux' }: MemoryOptions = {},
): Machine {
  const follow = (name: string, depth = 0): string => {
    const link = files.get(name)?.link;
    return link === undefined || depth > 8
      ? name
      : follow(posix.resolve(posix.dirname(name), link), depth + 1);
  };
  const isFolder = (name: string): boolean =>
    name === '/' || [...files.keys()].some((each) => each.startsWith(`${name}/`));
  const kindOf = (name: string) => (files.has(name) ? 'file' : isFolder(name) ? 'folder' : undefined);
  return {
    platform,
    find: (name) => path.map((folder) => `${folder}/${name}`).find((each) => files.has(each)),
    realPath(name) {
      const real = follow(posix.normalize(name));
      return kindOf(real) === undefined ? undefined : real;
    },
    facts(name) {
      const kind = kindOf(name);
      const { content = '' } = files.get(name) ?? {};
      return kind && { kind, size: content.length, stamp: content };
    },
    canExecute: (name) => files.get(name)?.executable === true,
    read: (name, maxBytes) =>
      Promise.resolve(Buffer.from(files.get(name)?.content ?? '').subarray(0, maxBytes)),
  };
}
