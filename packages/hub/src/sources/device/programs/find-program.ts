/** Where programs are that do the work on this machine. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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
    // An empty entry means the current folder, which is nobody's choice here.
    if (folder === '') continue;
    for (const ending of endings) {
      const candidate = join(folder, name + ending);
      if (canRun(candidate)) return candidate;
    }
  }
  return undefined;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
