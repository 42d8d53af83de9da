/** Which file a command's first word means. Looked for once; the start takes the path that was found. */
import { isAbsolute, resolve } from 'node:path';
import type { Machine } from './machine.ts';

export interface Executable {
  /** Before links are followed. */
  readonly found: string;
  /** After. */
  readonly path: string;
}

/** A look at such a path makes Windows sign in at the machine that it names, before anybody has been asked. */
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

/** Windows gives these to a shell, whatever it was asked for. */
export const isBatchScript = (path: string): boolean => /\.(?:bat|cmd)[ .]*$/i.test(path);
