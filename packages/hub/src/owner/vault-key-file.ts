/** The vault's key in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { prepareStateFolder, writeFileAtomically } from './state-folder.ts';
import { parseKey, type KeySource } from './vault-key-source.ts';
import { KEY_BYTES } from './vault-record.ts';

/** Names a file that somebody keeps the key in. */
export const KEY_FILE_VARIABLE = 'PINCER_MASTER_KEY_FILE';

export const masterKeyPath = (home: string): string => join(home, 'master-key.txt');

export const namedKeyFile = (path: string): KeySource => ({
  place: `${path} (${KEY_FILE_VARIABLE})`,
  read() {
    const key = readKeyFile(path);
    if (key !== undefined) return key;
    throw new PincerError('VAULT_UNREADABLE', `${KEY_FILE_VARIABLE} names ${path}, which does not exist.`, {
      hint: `Put the key there, or make a new one: (umask 077; head -c 32 /dev/urandom | base64 > ${path})`,
    });
  },
});

export function ownKeyFile(home: string): KeySource {
  const path = masterKeyPath(home);
  return {
    place: path,
    read: () => readKeyFile(path),
    create() {
      prepareStateFolder(home);
      return createKeyFile(path);
    },
  };
}

function readKeyFile(path: string): Buffer | undefined {
  let bytes: Buffer;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    bytes = readFileSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unfit(path, `cannot be read: ${messageOf(error)}`, 'Make it a file that you can read.');
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw unfit(path, 'is open to others on this machine.', `Close it: chmod 600 ${path}`);
  const key = parseKey(bytes);
  if (key !== undefined) return key;
  throw unfit(
    path,
    `is no key of ${KEY_BYTES} bytes.`,
    'Put the right file back; bytes, base64 and hexadecimal digits are understood.',
  );
}

/** Of two processes at once one makes the key, and both use it. */
function createKeyFile(path: string): Buffer {
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileAtomically(temporary, `${randomBytes(KEY_BYTES).toString('base64url')}\n`);
    linkSync(temporary, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST'))
      throw unfit(path, `cannot be written: ${messageOf(error)}`, 'Check who owns its folder.');
  } finally {
    rmSync(temporary, { force: true });
  }
  return readKeyFile(path)!;
}

const unfit = (path: string, what: string, hint: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', `The vault's key ${path} ${what}`, { hint });
