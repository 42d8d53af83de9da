/** The vault's key in the keychain of this system. What was put there is looked for there and nowhere else. */
import { randomBytes } from 'node:crypto';
import { messageOf, PincerError } from '../core/errors.ts';
import { KEYCHAIN_VARIABLE, type Keychain } from './keychain.ts';
import { prepareStateFolder } from './state-folder.ts';
import { parseKey, type KeySource } from './vault-key-source.ts';
import { readKeyPlace, writeKeyPlace } from './vault-place.ts';
import { KEY_BYTES } from './vault-record.ts';

/** A hub asks again and again, and a person who has said no is not to be asked each time. */
const ASK_AGAIN_MS = 5 * 60_000;

/** `keychain` undefined: there is none now, which is wrong only where one had the key. */
export function keyInKeychain(home: string, keychain: Keychain | undefined): KeySource {
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
