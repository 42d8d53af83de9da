/** The vault's master key, 32 bytes: the places where it can be, asked in order, and when one may be made. */
import { resolve } from 'node:path';
import { PincerError, messageOf } from '../core/errors.ts';
import { findKeychain, KEYCHAIN_VARIABLE, type Keychain } from './keychain.ts';
import type { Environment } from '../lib/process.ts';
import { KEY_FILE_VARIABLE, namedKeyFile, ownKeyFile } from './vault-key-file.ts';
import { findKey, findKeyLater, type KeySource, type MasterKey, parseKey } from './vault-key-source.ts';
import { allRecordPaths, readText } from './vault-records.ts';
import { keyName, readRecord, KEY_BYTES } from './vault-record.ts';
import { randomBytes } from 'node:crypto';
import { prepareStateFolder } from './state-folder.ts';
import { readKeyPlace, writeKeyPlace } from './vault-place.ts';

export interface VaultKeys {
  /** For reading: a key is never made here. */
  held(): MasterKey;
  heldLater(): Promise<MasterKey>;
  /** For the record that is to be at `path`. Made where there is none, and no record that takes an older one. */
  forWriting(path: string): MasterKey;
  forWritingLater(path: string): Promise<MasterKey>;
}

/** A file that somebody named counts alone: falling back would hide that it is gone. */
export function keySources(
  home: string,
  env: Environment,
  keychain = findKeychain(env),
): readonly KeySource[] {
  const named = env[KEY_FILE_VARIABLE];
  return named ? [namedKeyFile(resolve(named))] : [keyInKeychain(home, keychain), ownKeyFile(home)];
}

export function openKeys(
  home: string,
  env: Environment,
  sources: readonly KeySource[] = keySources(home, env),
): VaultKeys {
  const gone = (): PincerError =>
    lostKey(`The vault's key is gone: there is none in ${sources.map(({ place }) => place).join(' or ')}.`);

  /** A second key beside the first would leave a vault that nobody can open as a whole. */
  function checked(found: MasterKey | undefined, path: string): MasterKey {
    const records = allRecordPaths(home);
    if (found === undefined) {
      if (records.length > 0) throw gone();
      return make(sources);
    }
    const own = keyName(found.key);
    for (const other of records) {
      const key = other === path ? own : readRecord(readText(other) ?? '')?.key;
      if ((key ?? own) !== own)
        throw lostKey(`What is in the vault takes another key than the one in ${found.place}.`);
    }
    return found;
  }

  const orGone = (found: MasterKey | undefined): MasterKey => {
    if (found === undefined) throw gone();
    return found;
  };

  return {
    held: () => orGone(findKey(sources)),
    heldLater: async () => orGone(await findKeyLater(sources)),
    forWriting: (path) => checked(findKey(sources), path),
    forWritingLater: async (path) => checked(await findKeyLater(sources), path),
  };
}

/** In the first place that takes one. */
function make(sources: readonly KeySource[]): MasterKey {
  for (const { create, place } of sources) {
    const key = create?.();
    if (key !== undefined) return { key, place };
  }
  throw new PincerError('VAULT_UNREADABLE', 'There is no place where Pincer could keep a key.');
}

export const lostKey = (message: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', message, {
    hint: 'Put that key back, or name its file in PINCER_MASTER_KEY_FILE. Without it the secrets are lost: `pincer secret unset NAME` removes each, then set them again; sign-ins are lost, too: `pincer logout NAME`, then `pincer login NAME`.',
  });

/** A hub asks again and again, and a person who has said no is not to be asked each time. */
const ASK_AGAIN_MS = 5 * 60_000;

/**
 * The vault's key in the keychain of this system. What was put there is looked for there and nowhere else.
 * `keychain` undefined: there is none now, which is wrong only where one had the key.
 */
function keyInKeychain(home: string, keychain: Keychain | undefined): KeySource {
  const place = keychain?.name ?? 'a keychain';
  /** One question for each process: a keychain takes its time, and may ask a person. */
  let known: { readonly account: string; readonly key: Buffer } | undefined;
  let refused: { readonly at: number; readonly reason: unknown } | undefined;

  function remember(account: string, text: string | undefined): Buffer {
    const key = text === undefined ? undefined : parseKey(Buffer.from(text));
    if (key === undefined)
      throw lost(
        `The vault's key is gone from ${place}: ${text === undefined ? 'there is no' : 'that is no key, the'} entry "${account}".`,
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
      const { get } = needed(keychain);
      return remember(
        account,
        answerOf(place, () => get(account)),
      );
    },
    async readLater() {
      const account = readKeyPlace(home)?.keychain;
      if (account === undefined) return undefined;
      if (known?.account === account) return known.key;
      const { getLater } = needed(keychain);
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
      // The name is its own each time: of two processes at once one is remembered, and neither overwrites the other.
      const account = `${home} ${randomBytes(4).toString('hex')}`;
      const text = randomBytes(KEY_BYTES).toString('base64url');
      if (!isKept(keychain, account, text)) return undefined;
      if (!writeKeyPlace(home, { keychain: account })) quietly(() => keychain.delete(account));
      return source.read();
    },
  };
  return source;
}

/** Some take what they then do not have. */
function isKept(keychain: Keychain, account: string, text: string): boolean {
  try {
    keychain.set(account, text);
    if (keychain.get(account) === text) return true;
  } catch {
    // There is none, or it is locked: the key goes into a file, and `pincer doctor` says so.
  }
  quietly(() => keychain.delete(account));
  return false;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Nobody knows the name of what is left.
  }
}

function needed(keychain: Keychain | undefined): Keychain {
  if (keychain !== undefined) return keychain;
  throw lost(
    `The vault's key is in the keychain, and there is none here: no session bus, or ${KEYCHAIN_VARIABLE} is off.`,
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
    `The vault's key is in ${place}, which says: ${messageOf(error)}`,
    {
      hint: 'Unlock it, then try again. Where nobody can, name a copy of the key in PINCER_MASTER_KEY_FILE.',
      cause: error,
    },
  );
}

const lost = (message: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', message, {
    hint: 'Run Pincer in the session that has the keychain, or name a copy of the key in PINCER_MASTER_KEY_FILE. Without it the secrets and sign-ins are lost: remove them, and master-key.json, then set them again.',
  });
