/** Where programs are that do the work on this machine. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, posix, win32 } from 'node:path';
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
  const isWindows = platform === 'win32';
  const endings = isWindows ? ['', ...(env['PATHEXT'] ?? WINDOWS_ENDINGS).split(';')] : [''];
  const path = env['PATH'] ?? env['Path'] ?? '';
  for (const folder of path.split(delimiter)) {
    if (!isWholePath(folder, platform)) continue;
    for (const ending of endings) {
      const candidate = join(folder, name + ending);
      if (canRun(candidate)) return candidate;
    }
  }
  return undefined;
}

/** Others, and an empty one, mean folders below the current one, which is whatever a caller chooses. */
const isWholePath = (folder: string, platform: NodeJS.Platform): boolean =>
  (platform === 'win32' ? win32 : posix).isAbsolute(folder);

/** The same search path, for programs that look for others themselves. */
export function withWholePaths(path: string, platform: NodeJS.Platform): string {
  const between = platform === 'win32' ? ';' : ':';
  return path
    .split(between)
    .filter((folder) => isWholePath(folder, platform))
    .join(between);
}

/** A file, and one that this user may start. */
export function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
