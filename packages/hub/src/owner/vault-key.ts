/** The vault's master key of 32 bytes: where Pincer looks for it, in which order, and when it may create a new one. */
import { resolve } from 'node:path';
import { PincerError } from '../core/errors.ts';
import type { Environment } from '../lib/process.ts';
import { findKeychain } from './keychain.ts';
import {
  KEY_FILE_VARIABLE,
  keyInKeychain,
  type KeySource,
  namedKeyFile,
  ownKeyFile,
} from './vault-key-places.ts';
import { allRecordPaths, keyName, readRecord, readText } from './vault-records.ts';

interface MasterKey {
  readonly key: Buffer;
  readonly place: string;
}

export interface VaultKeys {
  /** For reading: never creates a key. */
  held(): MasterKey;
  heldLater(): Promise<MasterKey>;
  /** For writing the record at `path`. Creates a key if there is none and no record needs an older one. */
  forWriting(path: string): MasterKey;
  forWritingLater(path: string): Promise<MasterKey>;
}

/** If the person names a file, only that file is used: a fallback would hide that it is gone. */
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

  /** A second key beside the first would make a part of the vault unreadable. */
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
        throw lostKey(`The vault was sealed with another key than the one in ${found.place}.`);
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

/** Returns the first key found, or undefined. */
export function findKey(sources: readonly KeySource[]): MasterKey | undefined {
  for (const source of sources) {
    const key = source.read();
    if (key !== undefined) return { key, place: source.place };
  }
  return undefined;
}

export async function findKeyLater(sources: readonly KeySource[]): Promise<MasterKey | undefined> {
  for (const source of sources) {
    const key = await (source.readLater ?? source.read)();
    if (key !== undefined) return { key, place: source.place };
  }
  return undefined;
}

/** Creates a key in the first place that takes one. */
function make(sources: readonly KeySource[]): MasterKey {
  for (const { create, place } of sources) {
    const key = create?.();
    if (key !== undefined) return { key, place };
  }
  throw new PincerError('VAULT_UNREADABLE', 'Pincer found no place to keep a key.');
}

export const lostKey = (message: string): PincerError =>
  new PincerError('VAULT_UNREADABLE', message, {
    hint: 'Restore that key, or set PINCER_MASTER_KEY_FILE to its file. Without it the secrets are lost: remove each with `pincer secret unset NAME`, then set it again. Sign-ins are lost too: `pincer logout NAME`, then `pincer login NAME`.',
  });
