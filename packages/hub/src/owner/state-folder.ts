/** The state folder: where it is, its permissions, and how files in it are written. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../lib/process.ts';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const STICKY = 0o1000;

/** An empty variable counts as unset, as in a shell. */
export function resolveStateFolder(env: Environment): string {
  if (env['PINCER_HOME']) return resolve(env['PINCER_HOME']);
  if (env['OPENCLAW_STATE_DIR']) return resolve(env['OPENCLAW_STATE_DIR'], 'mcp');
  return join(homedir(), '.openclaw', 'mcp');
}

export const configPath = (home: string): string => join(home, 'config.json');
export const mcpTokenPath = (home: string): string => join(home, 'mcp-token.txt');
export const adminTokenPath = (home: string): string => join(home, 'admin-token.txt');
export const runFolder = (home: string): string => join(home, 'run');

function preparePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  const { mode } = statSync(path);
  // A shared folder such as /tmp: closing it would lock everyone else out, leaving it open would expose our secrets.
  if ((mode & STICKY) !== 0) {
    throw new PincerError(
      'CONFIG_INVALID',
      `The state folder ${path} is shared by all users of this machine.`,
      {
        hint: 'Set PINCER_HOME to a folder of your own.',
      },
    );
  }
  if ((mode & 0o777) !== FOLDER_MODE) chmodSync(path, FOLDER_MODE);
}

/** Creates the folder and `run/` in it, readable only for their owner. */
export function prepareStateFolder(home: string): void {
  try {
    preparePrivateFolder(home);
    preparePrivateFolder(runFolder(home));
  } catch (error) {
    if (PincerError.is(error)) throw error;
    throw new PincerError('INTERNAL', `The state folder ${home} cannot be prepared: ${messageOf(error)}`, {
      hint: 'Check its permissions, or set PINCER_HOME to another folder.',
      cause: error,
    });
  }
}

/** Replaces a file. A reader sees the old text or the new one, never a part, even after a power loss. */
export function writeFileAtomically(path: string, text: string | Uint8Array, mode: number = FILE_MODE): void {
  const temporary = temporaryFor(path);
  try {
    writeSynced(temporary, text, mode);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a file with its whole text at once. Returns false if it exists: another process was first. */
export function createFileOnce(path: string, text: string): boolean {
  const temporary = temporaryFor(path);
  try {
    writeSynced(temporary, text, FILE_MODE);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** In the same folder, because a rename across file systems is not atomic. */
const temporaryFor = (path: string): string => `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`;

function writeSynced(path: string, text: string | Uint8Array, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
