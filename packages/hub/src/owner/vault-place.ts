/** Where the vault's key was put, where that is not the state folder itself: written once, with the key. */
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { isRecord } from '../lib/record.ts';
import { writeFileAtomically } from './state-folder.ts';

export interface KeyPlace {
  readonly keychain: string;
}

export const keyPlacePath = (home: string): string => join(home, 'master-key.json');

/** Undefined: none was written, and the key is in the state folder, or nowhere yet. */
export function readKeyPlace(home: string): KeyPlace | undefined {
  const path = keyPlacePath(home);
  try {
    const place: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(place) && typeof place['keychain'] === 'string') return { keychain: place['keychain'] };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unfit(path, messageOf(error));
  }
  throw unfit(path, 'it names no place');
}

/** False: another process was first. */
export function writeKeyPlace(home: string, place: KeyPlace): boolean {
  const path = keyPlacePath(home);
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileAtomically(temporary, `${JSON.stringify(place)}\n`);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw new PincerError('VAULT_UNREADABLE', `${path} cannot be written: ${messageOf(error)}`, {
      hint: 'Check who owns its folder.',
      cause: error,
    });
  } finally {
    rmSync(temporary, { force: true });
  }
}

const unfit = (path: string, why: string): PincerError =>
  new PincerError(
    'VAULT_UNREADABLE',
    `${path}, which says where the vault's key is, cannot be read: ${why}`,
    {
      hint: "Put the file back from a backup; without it the key in this system's keychain is not found.",
    },
  );
