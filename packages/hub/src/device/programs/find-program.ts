/** Finds programs on the PATH. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../lib/environment.ts';
import { foldersIn, isWholePath } from '../../lib/search-path.ts';

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

/** A file, and one that this user may start. */
export function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
