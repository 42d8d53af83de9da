/**
 * Lists of folders such as PATH. An empty or relative entry means the folder that a program happens to run in, so that
 * whoever fills that folder chooses what runs. Pure.
 */

/** Where the system's own programs are. */
const SYSTEM_PATH: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: String.raw`C:\Windows\System32;C:\Windows`,
};
const UNIX_PATH = '/usr/local/bin:/usr/bin:/bin';

const dividerOf = (platform: NodeJS.Platform): string => (platform === 'win32' ? ';' : ':');

/** The folders of a search path. */
export const foldersIn = (path: string, platform: NodeJS.Platform): string[] =>
  path.split(dividerOf(platform));

/** On Windows `C:tools` is relative to the current folder of that drive. */
export const isWholePath = (folder: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' ? /^"?(?:[a-z]:)?[\\/]/i.test(folder) : folder.startsWith('/');

/** The same list without entries that depend on the current folder. */
export const withWholePaths = (path: string, platform: NodeJS.Platform): string =>
  foldersIn(path, platform)
    .filter((folder) => isWholePath(folder, platform))
    .join(dividerOf(platform));

/** The same search path; never empty, which would mean the current folder. */
export const wholeSearchPath = (path: string, platform: NodeJS.Platform): string =>
  withWholePaths(path, platform) || (SYSTEM_PATH[platform] ?? UNIX_PATH);
