/** Who we are towards a gateway: a key of our own, made once for a state folder. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Identity {
  /** SHA-256 of the public key, in hex. */
  readonly id: string;
  /** The 32 bytes of the key, base64url. */
  readonly publicKey: string;
  sign(text: string): string;
}

/** What comes before the key itself in its DER form is the same for all Ed25519 keys. */
const KEY_BYTES = 32;

export function openIdentity(home: string): Identity {
  const path = join(home, 'device-key-ed25519.json');
  const key = readKey(path) ?? makeKey(path);
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
  return {
    id: createHash('sha256').update(raw).digest('hex'),
    publicKey: raw.toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}

function readKey(path: string): KeyObject | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return createPrivateKey((JSON.parse(text) as { privateKey: string }).privateKey);
}

function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = JSON.stringify({
    version: 1,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  });
  // The gateway may be there before its first hub.
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' });
  return privateKey;
}
