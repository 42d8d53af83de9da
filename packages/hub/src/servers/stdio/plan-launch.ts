/**
 * What is started for a server, and where. A program runs in its configured folder, or in an empty one. A launcher
 * always runs in an empty one, so that it fetches what the person approved and not a file that lies in the folder.
 */
import { posix, win32 } from 'node:path';
import { findLauncher } from '../../core/launchers.ts';
import type { SpawnOptions } from '../../core/ports.ts';
import { looksInFolder } from '../../core/python-command.ts';

export interface Launchable {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
}

export function planLaunch(child: Launchable, platform: NodeJS.Platform): SpawnOptions {
  const { command, args, env } = child;
  const cwd = child.cwd && withHome(child.cwd, env);
  // The folder is empty, so it needs no protection.
  if (cwd === undefined || cwd === '') return { ...child, cwd: undefined };
  const words = [command, ...args];
  const launcher = findLauncher(words);
  if (launcher === undefined)
    return { ...child, cwd, env: { ...(looksInFolder(words) && { PYTHONSAFEPATH: '1' }), ...env } };
  const { resolve } = platform === 'win32' ? win32 : posix;
  return {
    command,
    args: args.map((word) => (/^\.\.?(?:[\\/]|$)/.test(word) ? resolve(cwd, word) : word)),
    cwd: undefined,
    env,
    npmRunsIn: handsFolderOn(words, platform) ? cwd : undefined,
  };
}

/** Whether the program that a launcher starts runs in the configured folder, as any other program does. */
export const handsFolderOn = (words: readonly string[], platform: NodeJS.Platform): boolean => {
  const launcher = findLauncher(words);
  return launcher === undefined || (launcher.isNpm === true && platform !== 'win32');
};

const withHome = (folder: string, env: Launchable['env']): string =>
  folder.replace(/^~(?=$|[\\/])/, () => env['HOME'] ?? env['USERPROFILE'] ?? '~');
