/**
 * Where the hub and its children run unless a setting names a folder: one of our own, below `run/`. The folder that a
 * hub happens to be started in may be a stranger's repository, and `npx` or `python -m` run what they find there.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../core/errors.ts';
import { prepareStateFolder, runFolder, writeFileAtomically } from './state-folder.ts';

const FOLDER_MODE = 0o700;

export const neutralFolder = (home: string): string => join(runFolder(home), 'cwd');

/** Makes the folder, in place of anything that is not a folder of this user. */
export function prepareNeutralFolder(home: string): string {
  prepareStateFolder(home);
  const folder = neutralFolder(home);
  if (!isOwnFolder(folder)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: FOLDER_MODE });
  }
  return folder;
}

/** A link counts as something else: it may lead to a folder that others fill. */
function isOwnFolder(path: string): boolean {
  try {
    const stats = lstatSync(path);
    const isOwn = stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
    if (isOwn && (stats.mode & 0o777) !== FOLDER_MODE) chmodSync(path, FOLDER_MODE);
    return isOwn;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** New folders for children, each empty and one child's alone. */
export interface ChildFolders {
  make(): string;
  /** Variables by which npm, run in another folder, runs what it fetched in this one. */
  variablesForNpm(folder: string): Record<string, string>;
  /** Removes a folder, with what the child wrote into it. */
  remove(path: string, command: string): Promise<void>;
}

export type OnFilesRemoved = (command: string, count: number) => void;

/** For the owner of the state folder alone: removes what a dead hub left. */
export function openChildFolders(home: string, onFilesRemoved?: OnFilesRemoved): ChildFolders {
  const folder = prepareNeutralFolder(home);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  return {
    variablesForNpm: (runsIn) => npmRunsInVariables(runsIn, writeNpmShell(home)),
    make: () => mkdtempSync(join(prepareNeutralFolder(home), 'child-')),
    async remove(path, command) {
      try {
        const { length } = readdirSync(path);
        if (length > 0) onFilesRemoved?.(command, length);
        // A program that is just ending may still write there for a moment.
        await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      } catch {
        // The next owner removes it.
      }
    },
  };
}

const FOLDER_VARIABLE = 'PINCER_NPM_RUNS_IN';

/** The scripts of packages that are just being installed run where npm wants them. */
const SCRIPT = `#!/bin/sh
if [ "$npm_lifecycle_event" = npx ] && [ -n "$${FOLDER_VARIABLE}" ]; then
  cd "$${FOLDER_VARIABLE}" || exit 1
fi
unset ${FOLDER_VARIABLE} npm_config_script_shell
exec /bin/sh "$@"
`;

/**
 * How a program that `npx` fetches gets the folder that the configuration names, though `npx` itself must not run
 * there: it would take `.npmrc`, `package.json` and `node_modules/.bin` from it. npm runs the program with its
 * `script-shell`, which is this script: it changes the folder and becomes the usual shell. Writes the script, and
 * returns its path. It is the one program among the files of the state folder.
 */
function writeNpmShell(home: string): string {
  const folder = join(runFolder(home), 'bin');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'npm-shell.sh');
  writeFileAtomically(path, SCRIPT, 0o700);
  return path;
}

const npmRunsInVariables = (folder: string, shell: string): Record<string, string> => ({
  npm_config_script_shell: shell,
  [FOLDER_VARIABLE]: folder,
});
