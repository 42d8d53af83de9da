/** Finds programs on the PATH. */
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, foldersIn, isWholePath } from '../../lib/process.ts';

/** The default of PATHEXT. */
const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD';

/** Returns the path of a program. Undefined if it is not found, and for a name with a separator. */
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

/** Returns the program at a path, which may lack its extension on Windows. */
export const programAt = (
  path: string,
  platform: NodeJS.Platform,
  endings = WINDOWS_ENDINGS,
): string | undefined =>
  (platform === 'win32' ? ['', ...endings.split(';')] : ['']).map((ending) => path + ending).find(canRun);

/** Whether it is a file that this user may execute. */
export function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
