/** What a program is started with: its environment, a safe working folder and its search path. */

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The working folder for programs of the system. Only an administrator can write to it: Windows looks for a program and
 * for its libraries in the current folder first.
 */
export const safeFolder = (): string =>
  process.platform === 'win32' ? (process.env['SystemRoot'] ?? String.raw`C:\Windows`) : '/';

/** Default search paths: the folders of the system's own programs. */
const SYSTEM_PATH: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: String.raw`C:\Windows\System32;C:\Windows`,
};
const UNIX_PATH = '/usr/local/bin:/usr/bin:/bin';

const dividerOf = (platform: NodeJS.Platform): string => (platform === 'win32' ? ';' : ':');

/** Splits a search path such as PATH into its folders. */
export const foldersIn = (path: string, platform: NodeJS.Platform): string[] =>
  path.split(dividerOf(platform));

/** On Windows `C:tools` is relative to the current folder of that drive. */
export const isWholePath = (folder: string, platform: NodeJS.Platform): boolean =>
  platform === 'win32' ? /^"?(?:[a-z]:)?[\\/]/i.test(folder) : folder.startsWith('/');

/**
 * Returns the list without empty and relative entries. These mean the current folder, so anyone who can write to that
 * folder could choose the program that runs.
 */
export const withWholePaths = (path: string, platform: NodeJS.Platform): string =>
  foldersIn(path, platform)
    .filter((folder) => isWholePath(folder, platform))
    .join(dividerOf(platform));

/** Like `withWholePaths`, but never empty: an empty search path means the current folder. */
export const wholeSearchPath = (path: string, platform: NodeJS.Platform): string =>
  withWholePaths(path, platform) || (SYSTEM_PATH[platform] ?? UNIX_PATH);
