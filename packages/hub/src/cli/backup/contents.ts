/** The files of a state folder that a backup contains: all that cannot be recreated. Secrets and sign-ins stay encrypted. */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.ts';
import type { BackupFile } from './archive.ts';
import { KEY_FILE_VARIABLE, readKeyPlace } from '../../owner/vault-key-places.ts';

/** Backed up as a snapshot, because a hub may be writing to it. */
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

/** Reads the existing files, without the database. */
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

/** Top-level entries that a restore removes if the backup does not contain them. */
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

/**
 * Describes where the key of the sealed records is, for a backup without it.
 * @returns undefined if nothing is sealed or the backup contains the key
 */
export function keyAdvice(files: readonly BackupFile[], home: string): string | undefined {
  const isSealed = files.some(({ path }) => path.startsWith('secrets/') || path.startsWith('tokens/'));
  if (!isSealed || files.some(({ path }) => path === MASTER_KEY)) return undefined;
  const named = process.env[KEY_FILE_VARIABLE];
  if (named !== undefined && named !== '')
    return `the key for your secrets and sign-ins, ${named}: copy it yourself`;
  const place = readKeyPlace(home);
  if (place !== undefined)
    return `the key for your secrets and sign-ins, which stays in the keychain of this machine (entry "${place.keychain}")`;
  return existsSync(join(home, MASTER_KEY))
    ? `the key for your secrets and sign-ins, ${MASTER_KEY}: copy it yourself, or add --with-key`
    : 'the key for your secrets and sign-ins, which is not in the state folder';
}
