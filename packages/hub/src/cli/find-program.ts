import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { canRun } from '../sources/device/programs/find-program.ts';

export interface Whereabouts {
  /** The folders of PATH, as the variable has them. */
  readonly path: string;
  readonly platform: NodeJS.Platform;
  /** What a relative path is relative to. */
  readonly cwd?: string | undefined;
}

/** Windows has endings of its own for programs. */
const WINDOWS_ENDINGS = ['', '.exe', '.cmd', '.bat', '.com'];

/** Whether there is such a program: by its path, or by its name in one of the folders. */
export function isProgram(command: string, { path, platform, cwd = '' }: Whereabouts): boolean {
  const isPath = isAbsolute(command) || /[/\\]/.test(command);
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const places = isPath ? [resolve(cwd, command)] : folders.map((folder) => join(folder, command));
  const endings = platform === 'win32' ? WINDOWS_ENDINGS : [''];
  return places.some((place) => endings.some((ending) => canRun(place + ending)));
}
