import { isAbsolute, join, resolve } from 'node:path';
import { foldersIn, isWholePath } from '../lib/process.ts';
import { programAt } from '../device/programs/find-program.ts';

export interface Whereabouts {
  /** The folders of PATH, as the variable has them. */
  readonly path: string;
  readonly platform: NodeJS.Platform;
  /** What a relative path is relative to. */
  readonly cwd?: string | undefined;
}

/** Whether there is such a program: by its path, or by its name in one of the folders. */
export function isProgram(command: string, { path, platform, cwd = '' }: Whereabouts): boolean {
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const folders = foldersIn(path, platform).filter((folder) => isWholePath(folder, platform));
  const places = isPath ? [command] : folders.map((folder) => join(folder, command));
  return places.some((place) => programAt(resolve(cwd, place), platform) !== undefined);
}
