/** The vault's master key, 32 bytes: the places where it can be, asked in order. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { prepareStateFolder, writeFileAtomically, type Environment } from './state-folder.ts';
import { KEY_BYTES } from './vault-record.ts';

const VARIABLE = 'PINCER_MASTER_KEY_FILE';

export interface KeySource {
  /** Where the key is, in words. */
  readonly place: string;
  /** Undefined: there is none here, and the next place is asked. Throws where there is one that is not fit. */
  read(): Buffer | undefined;
  /** Makes a key that stays. Absent where Pincer makes none. */
  readonly create?: () => Buffer;
}

export interface MasterKey {
  readonly key: Buffer;
  readonly place: string;
}

export const masterKeyPath = (home: string): string => join(home, 'master-key.txt');

/** A file that somebody named counts alone: falling back would hide that it is gone. */
export function keySources(home: string, env: Environment): KeySource[] {
  const named = env[VARIABLE];
  return named ? [namedFile(resolve(named))] : [ownFile(home)];
}

/** The first key that there is; undefined when there is none. */
export function findKey(sources: readonly KeySource[]): MasterKey | undefined {
  for (const source of sources) {
    const key = source.read();
    if (key !== undefined) return { key, place: source.place };
  }
  return undefined;
}

/** A key in the first place that takes one. */
export function makeKey(sources: readonly KeySource[]): MasterKey {
  const source = sources.find(({ create }) => create !== undefined);
  if (source?.create === undefined)
    throw new PincerError('VAULT_UNREADABLE', 'There is no place where Pincer could keep a key.');
  return { key: source.create(), place: source.place };
}

const namedFile = (path: string): KeySource => ({
  place: `${path} (${VARIABLE})`,
  read() {
    const key = readKeyFile(path);
    if (key !== undefined) return key;
    throw new PincerError('VAULT_UNREADABLE', `${VARIABLE} names ${path}, which does not exist.`, {
      hint: `Put the key there, or make a new one: (umask 077; head -c 32 /dev/urandom | base64 > ${path})`,
    });
  },
});

function ownFile(home: string): KeySource {
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

function parseKey(bytes: Buffer): Buffer | undefined {
  if (bytes.length === KEY_BYTES) return bytes;
  const text = bytes.toString('latin1').trim();
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
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
