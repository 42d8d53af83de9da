/** The sealed records of a state folder, in all their folders. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { prepareStateFolder, writeFileAtomically } from './state-folder.ts';

export const RECORD_SUFFIX = '.json';

export const secretsFolder = (home: string): string => join(home, 'secrets');
/** What sign-ins have given. */
export const grantsFolder = (home: string): string => join(home, 'tokens');

export const allRecordPaths = (home: string): string[] =>
  [secretsFolder(home), grantsFolder(home)].flatMap((folder) =>
    recordFiles(folder).map((file) => join(folder, file)),
  );

export function recordFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith(RECORD_SUFFIX));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw unreadable(folder, 'read', error);
  }
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, 'read', error);
  }
}

export function writeText(home: string, folder: string, file: string, text: string): void {
  prepareStateFolder(home);
  const path = join(folder, file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(path, text);
  } catch (error) {
    throw unreadable(path, 'written', error);
  }
}

const unreadable = (path: string, verb: string, error: unknown): PincerError =>
  new PincerError('VAULT_UNREADABLE', `${path} cannot be ${verb}: ${messageOf(error)}`, {
    hint: 'Check that it belongs to you.',
    cause: error,
  });
