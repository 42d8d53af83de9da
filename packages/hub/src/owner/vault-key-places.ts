/** Places of the vault's master key: a file that the person names, the system's keychain, a file in the state folder. */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { isRecord } from '../lib/record.ts';
import { type Keychain, KEYCHAIN_VARIABLE } from './keychain.ts';
import { createFileOnce, prepareStateFolder } from './state-folder.ts';
import { KEY_BYTES } from './vault-records.ts';

export interface KeySource {
  /** Where the key is, in words. */
  readonly place: string;
  /** Returns undefined if this place has no key; then the next place is tried. Throws if its key is unusable. */
  read(): Buffer | undefined;
  /** The same without blocking the process. */
  readonly readLater?: () => Promise<Buffer | undefined>;
  /** Creates a lasting key. Returns undefined if this place takes none. Absent if Pincer never creates a key here. */
  readonly create?: () => Buffer | undefined;
}

/** Parses a key in bytes, base64 or hexadecimal digits. Returns undefined if the format is unknown. */
function parseKey(bytes: Buffer): Buffer | undefined {
  if (bytes.length === KEY_BYTES) return bytes;
  const text = bytes.toString('latin1').trim();
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Names the file in which the person keeps the key. */
export const KEY_FILE_VARIABLE = 'PINCER_MASTER_KEY_FILE';

export const masterKeyPath = (home: string): string => join(home, 'master-key.txt');

export const namedKeyFile = (path: string): KeySource => ({
  place: `${path} (${KEY_FILE_VARIABLE})`,
  read() {
    const key = readKeyFile(path);
    if (key !== undefined) return key;
    throw new PincerError('VAULT_UNREADABLE', `${KEY_FILE_VARIABLE} names ${path}, which does not exist.`, {
      hint: `Put the key there, or create a new one: (umask 077; head -c 32 /dev/urandom | base64 > ${path})`,
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
    `is not a key of ${KEY_BYTES} bytes.`,
    'Restore the right file. The key may be raw bytes, base64 or hexadecimal digits.',
  );
}

/** If two processes create a key at the same time, both use the one that was first. */
function createKeyFile(path: string): Buffer {
  try {
    createFileOnce(path, `${randomBytes(KEY_BYTES).toString('base64url')}\n`);
  } catch (error) {
    throw unfit(path, `cannot be written: ${messageOf(error)}`, 'Check who owns its folder.');
  }
  return readKeyFile(path)!;
}

const unfit = (path: string, what: string, hint: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', `The vault's key ${path} ${what}`, { hint });

/** Content of `master-key.json`. It is written once, together with a key that is kept outside the state folder. */
interface KeyPlace {
  readonly keychain: string;
}

export const keyPlacePath = (home: string): string => join(home, 'master-key.json');

/** Returns undefined if the file does not exist: the key is in the state folder, or not created yet. */
export function readKeyPlace(home: string): KeyPlace | undefined {
  const path = keyPlacePath(home);
  try {
    const place: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(place) && typeof place['keychain'] === 'string') return { keychain: place['keychain'] };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadablePlace(path, messageOf(error));
  }
  throw unreadablePlace(path, 'it names no place');
}

/** Returns false if another process was first. */
function writeKeyPlace(home: string, place: KeyPlace): boolean {
  const path = keyPlacePath(home);
  try {
    return createFileOnce(path, `${JSON.stringify(place)}\n`);
  } catch (error) {
    throw new PincerError('VAULT_UNREADABLE', `${path} cannot be written: ${messageOf(error)}`, {
      hint: 'Check who owns its folder.',
      cause: error,
    });
  }
}

const unreadablePlace = (path: string, why: string): PincerError =>
  new PincerError(
    'VAULT_UNREADABLE',
    `${path}, which names the place of the vault's key, cannot be read: ${why}`,
    {
      hint: "Restore the file from a backup. Without it Pincer cannot find the key in this system's keychain.",
    },
  );

/** After a refusal the keychain is not asked again for this long, so that a hub does not prompt the person repeatedly. */
const ASK_AGAIN_MS = 5 * 60_000;

/**
 * The vault's key in the system's keychain. A key that was stored there is read from there only. `keychain` is undefined
 * if there is none now; that is an error only if the key was stored in one.
 */
export function keyInKeychain(home: string, keychain: Keychain | undefined): KeySource {
  const place = keychain?.name ?? 'a keychain';
  /** Cached, because a keychain is slow and may prompt the person. */
  let known: { readonly account: string; readonly key: Buffer } | undefined;
  let refused: { readonly at: number; readonly reason: unknown } | undefined;

  function remember(account: string, text: string | undefined): Buffer {
    const key = text === undefined ? undefined : parseKey(Buffer.from(text));
    if (key === undefined)
      throw lost(
        `The vault's key is gone from ${place}: ${text === undefined ? 'there is no' : 'not a key in the'} entry "${account}".`,
      );
    known = { account, key };
    return key;
  }

  const source: KeySource = {
    place,
    read() {
      const account = readKeyPlace(home)?.keychain;
      if (account === undefined) return undefined;
      if (known?.account === account) return known.key;
      const { get } = required(keychain);
      return remember(
        account,
        answerOf(place, () => get(account)),
      );
    },
    async readLater() {
      const account = readKeyPlace(home)?.keychain;
      if (account === undefined) return undefined;
      if (known?.account === account) return known.key;
      const { getLater } = required(keychain);
      if (refused !== undefined && performance.now() - refused.at < ASK_AGAIN_MS) throw refused.reason;
      try {
        return remember(account, await getLater(account).catch((error: unknown) => silent(place, error)));
      } catch (reason) {
        refused = { at: performance.now(), reason };
        throw reason;
      }
    },
    create() {
      if (keychain === undefined) return undefined;
      prepareStateFolder(home);
      // The name is unique: if two processes create a key at once, one is remembered and neither is overwritten.
      const account = `${home} ${randomBytes(4).toString('hex')}`;
      const text = randomBytes(KEY_BYTES).toString('base64url');
      if (!isKept(keychain, account, text)) return undefined;
      if (!writeKeyPlace(home, { keychain: account })) quietly(() => keychain.delete(account));
      return source.read();
    },
  };
  return source;
}

/** Some keychains accept an entry without keeping it, so this reads it back. */
function isKept(keychain: Keychain, account: string, text: string): boolean {
  try {
    keychain.set(account, text);
    if (keychain.get(account) === text) return true;
  } catch {
    // The keychain is missing or locked. The key goes into a file, and `pincer doctor` reports that.
  }
  quietly(() => keychain.delete(account));
  return false;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // An entry without a known name is left over.
  }
}

function required(keychain: Keychain | undefined): Keychain {
  if (keychain !== undefined) return keychain;
  throw lost(
    `The vault's key is in the keychain, but no keychain is available: no session bus, or ${KEYCHAIN_VARIABLE} is off.`,
  );
}

function answerOf(place: string, ask: () => string | undefined): string | undefined {
  try {
    return ask();
  } catch (error) {
    return silent(place, error);
  }
}

function silent(place: string, error: unknown): never {
  throw new PincerError(
    'VAULT_UNREADABLE',
    `The vault's key is in ${place}, which reports: ${messageOf(error)}`,
    {
      hint: 'Unlock it, then try again. If that is not possible, set PINCER_MASTER_KEY_FILE to a file with a copy of the key.',
      cause: error,
    },
  );
}

const lost = (message: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', message, {
    hint: 'Run Pincer in the session that has the keychain, or set PINCER_MASTER_KEY_FILE to a file with a copy of the key. Without the key, secrets and sign-ins are lost: remove them and master-key.json, then set them again.',
  });
