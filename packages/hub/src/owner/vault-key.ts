/** The vault's master key, 32 bytes: the places where it can be, asked in order, and when one may be made. */
import { resolve } from 'node:path';
import { PincerError } from '../core/errors.ts';
import { findKeychain } from './keychain.ts';
import type { Environment } from '../core/environment.ts';
import { KEY_FILE_VARIABLE, namedKeyFile, ownKeyFile } from './vault-key-file.ts';
import { keyInKeychain } from './vault-key-in-keychain.ts';
import { findKey, findKeyLater, type KeySource, type MasterKey } from './vault-key-source.ts';
import { allRecordPaths, readText } from './vault-records.ts';
import { keyName, readRecord } from './vault-record.ts';

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
