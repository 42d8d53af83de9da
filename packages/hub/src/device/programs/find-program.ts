/** Where programs are that do the work on this machine. */
import { accessSync, constants, statSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import type { Environment } from '../../../core/environment.ts';

/** Endings of programs where there is no PATHEXT. */
const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD';

/** The whole path of a program by its name; a name with a separator is never looked for. */
export function findProgram(
  name: string,
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (name === '' || /[/\\\0]/.test(name)) return undefined;
  const path = env['PATH'] ?? env['Path'] ?? '';
  for (const folder of foldersIn(path, platform)) {
    if (!isWholePath(folder, platform)) continue;
    const found = programAt(join(folder, name), platform, env['PATHEXT']);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The program at a path, which on Windows may lack its ending. */
export const programAt = (
  path: string,
  platform: NodeJS.Platform,
  endings = WINDOWS_ENDINGS,
): string | undefined =>
  (platform === 'win32' ? ['', ...endings.split(';')] : ['']).map((ending) => path + ending).find(canRun);

const dividerOf = (platform: NodeJS.Platform): string => (platform === 'win32' ? ';' : ':');

/** The folders of a search path. */
export const foldersIn = (path: string, platform: NodeJS.Platform): string[] =>
  path.split(dividerOf(platform));

/** Others, and an empty one, mean folders below the current one, which is whatever a caller chooses. */
const isWholePath = (folder: string, platform: NodeJS.Platform): boolean =>
  (platform === 'win32' ? win32 : posix).isAbsolute(folder);

/** The same search path, for programs that look for others themselves. */
export const withWholePaths = (path: string, platform: NodeJS.Platform): string =>
  foldersIn(path, platform)
    .filter((folder) => isWholePath(folder, platform))
    .join(dividerOf(platform));

/** A file, and one that this user may start. */
export function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
