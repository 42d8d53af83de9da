/** What of a state folder is backed up: all that cannot be had again. Secrets and sign-ins stay sealed. */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.ts';
import type { BackupFile } from './archive.ts';
import { KEY_FILE_VARIABLE, readKeyPlace } from '../../owner/vault-key-places.ts';

/** Taken as a snapshot: a hub may be writing to it. */
export const STATE = 'state.sqlite';
const MASTER_KEY = 'master-key.txt';

const FILES = [
  'config.json',
  'mcp-token.txt',
  'admin-token.txt',
  'exec-approvals.json',
  'exec-policy.json',
  'device-key-ed25519.json',
  'tools-key-ed25519.json',
  'master-key.json',
];
const FOLDERS = ['secrets', 'tokens'];
const RECORD = /^[\w-]+\.json$/;

export function isBackedUp(path: string): boolean {
  const [folder, name, ...rest] = path.split('/');
  if (name === undefined) return [...FILES, STATE, MASTER_KEY].includes(path);
  return rest.length === 0 && FOLDERS.includes(folder!) && RECORD.test(name);
}

/** Of those that are there, but for the database. */
export function readContents(home: string, withKey: boolean): BackupFile[] {
  const names = [
    ...FILES,
    ...(withKey ? [MASTER_KEY] : []),
    ...FOLDERS.flatMap((folder) => recordsIn(home, folder)),
  ];
  return names.flatMap((path) => {
    const bytes = readIfThere(join(home, path));
    return bytes === undefined ? [] : [{ path, bytes }];
  });
}

/** What a restored folder has no more of than the backup: entries at its top. */
export const MANAGED: readonly string[] = [...FILES.filter((name) => name !== 'master-key.json'), ...FOLDERS];

const recordsIn = (home: string, folder: string): string[] => {
  try {
    return readdirSync(join(home, folder))
      .filter((name) => RECORD.test(name))
      .map((name) => `${folder}/${name}`);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
};

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** What opens the sealed records of a backup is not in it: where it is. Undefined: there is nothing sealed, or it is in it. */
export function keyAdvice(files: readonly BackupFile[], home: string): string | undefined {
  const isSealed = files.some(({ path }) => path.startsWith('secrets/') || path.startsWith('tokens/'));
  if (!isSealed || files.some(({ path }) => path === MASTER_KEY)) return undefined;
  const named = process.env[KEY_FILE_VARIABLE];
  if (named !== undefined && named !== '')
    return `the key of your secrets and sign-ins, ${named}: copy it yourself`;
  const place = readKeyPlace(home);
  if (place !== undefined)
    return `the key of your secrets and sign-ins: it is in the keychain of this machine (entry "${place.keychain}") and stays there`;
  return existsSync(join(home, MASTER_KEY))
    ? `the key of your secrets and sign-ins, ${MASTER_KEY}: copy it yourself, or add --with-key`
    : 'the key of your secrets and sign-ins, which is not in the state folder';
}
