/**
 * The working folder of the hub and its children, unless a setting names one: our own folder below `run/`. The hub
 * may have been started in an untrusted repository, and `npx` or `python -m` run programs that they find there.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasCode } from '../core/errors.ts';
import type { Environment } from '../lib/process.ts';
import { prepareStateFolder, runFolder, writeFileAtomically } from './state-folder.ts';

const FOLDER_MODE = 0o700;

export const neutralFolder = (home: string): string => join(runFolder(home), 'cwd');

/** Creates the folder. Replaces anything that is not a folder of this user. */
export function prepareNeutralFolder(home: string): string {
  prepareStateFolder(home);
  const folder = neutralFolder(home);
  if (!isOwnFolder(folder)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: FOLDER_MODE });
  }
  return folder;
}

/** A link does not count: it may lead to a folder that others can write to. */
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

/** Creates an empty folder for each child. */
export interface ChildFolders {
  make(): string;
  /** Variables that make npm run the fetched program in this folder although npm itself runs in another one. */
  variablesForNpm(folder: string): Record<string, string>;
  /** Removes a folder with its content. */
  remove(path: string, command: string): Promise<void>;
}

type OnFilesRemoved = (command: string, count: number) => void;

/** Only for the owner of the state folder: removes the folders that a dead hub left. */
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
        // A program that is just exiting may still write for a moment.
        await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      } catch {
        // The next owner removes it.
      }
    },
  };
}

const FOLDER_VARIABLE = 'PINCER_NPM_RUNS_IN';

/** Install scripts of packages still run where npm wants them. */
const SCRIPT = `#!/bin/sh
if [ "$npm_lifecycle_event" = npx ] && [ -n "$${FOLDER_VARIABLE}" ]; then
  cd "$${FOLDER_VARIABLE}" || exit 1
fi
unset ${FOLDER_VARIABLE} npm_config_script_shell
exec /bin/sh "$@"
`;

/**
 * Writes the script that runs a program fetched by `npx` in the configured folder, and returns its path. `npx` itself
 * must not run there: it would use `.npmrc`, `package.json` and `node_modules/.bin` of that folder. npm runs the program
 * with its `script-shell`, which is this script: it changes the folder and becomes the usual shell. It is the only
 * executable file in the state folder.
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

/** Variables that name files and folders. The hub leaves the folder that it was started in, so they must be absolute. */
const PATH_VARIABLES = [
  'PINCER_HOME',
  'PINCER_MASTER_KEY_FILE',
  'OPENCLAW_STATE_DIR',
  'OPENCLAW_CONFIG_PATH',
  'OPENCLAW_HOME',
];

/** Returns the path variables that are set, resolved against this process's folder. */
export const wholePathVariables = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    PATH_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' || value.startsWith('~') ? [] : [[name, resolve(value)]];
    }),
  );
