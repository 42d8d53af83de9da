import { isAbsolute, join, resolve } from 'node:path';
import { foldersIn, isWholePath } from '../lib/process.ts';
import { programAt } from '../device/programs/find-program.ts';

export interface SearchOptions {
  /** The value of PATH. */
  readonly path: string;
  readonly platform: NodeJS.Platform;
  /** Base of relative paths. */
  readonly cwd?: string | undefined;
}

/** Whether the command is a path to a program, or the name of a program in PATH. */
export function isProgram(command: string, { path, platform, cwd = '' }: SearchOptions): boolean {
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const folders = foldersIn(path, platform).filter((folder) => isWholePath(folder, platform));
  const places = isPath ? [command] : folders.map((folder) => join(folder, command));
  return places.some((place) => programAt(resolve(cwd, place), platform) !== undefined);
}
