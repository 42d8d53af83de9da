/** Who we are towards a gateway: a key of our own, made once for a state folder, and the tokens that gateways gave it. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { isRecord } from '../lib/record.ts';
import type { DeviceIdentity } from '../core/ports.ts';

interface KeyFile {
  readonly version: 1;
  /** PEM. */
  readonly privateKey: string;
  /** Those of an operator, by the address of the gateway. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Those of a node. */
  readonly nodeTokens?: Readonly<Record<string, string>>;
}

const PLACE = { operator: 'tokens', node: 'nodeTokens' } as const;

/** What comes before the key itself in its DER form is the same for all Ed25519 keys. */
const KEY_BYTES = 32;
/** A gateway keeps one node for each key: the machine, and the tools that OpenClaw's plugin publishes, are two. */
const NAMES = { device: 'device-key-ed25519.json', tools: 'tools-key-ed25519.json' } as const;

export const identityPath = (home: string, of: keyof typeof NAMES = 'device'): string =>
  join(home, NAMES[of]);

export function openIdentity(home: string, of: keyof typeof NAMES = 'device'): DeviceIdentity {
  const path = identityPath(home, of);
  const key = keyIn(readKeyFile(path) ?? makeKeyFile(path), path);
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
  return {
    id: createHash('sha256').update(raw).digest('hex'),
    publicKey: raw.toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
    tokenFor: (url, role = 'operator') => readKeyFile(path)?.[PLACE[role]]?.[url],
    keepToken(url, token, role = 'operator') {
      const file = readKeyFile(path);
      const place = PLACE[role];
      if (file === undefined || file[place]?.[url] === token) return;
      const { [url]: _, ...others } = file[place] ?? {};
      replace(path, { ...file, [place]: token === undefined ? others : { ...others, [url]: token } });
    },
  };
}

function readKeyFile(path: string): KeyFile | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isRecord(file)) throw new TypeError('it is not what Pincer has written');
    return file as unknown as KeyFile;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, error);
  }
}

function makeKeyFile(path: string): KeyFile {
  const { privateKey } = generateKeyPairSync('ed25519');
  const file: KeyFile = {
    version: 1,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    putWhole(path, textOf(file));
    return file;
  } catch (error) {
    // Somebody else has made it meanwhile, and theirs it is.
    const theirs = hasCode(error, 'EEXIST') ? readKeyFile(path) : undefined;
    if (theirs === undefined) throw unwritable(path, error);
    return theirs;
  }
}

/** Fails where there is one. It appears with all that is in it: another process may be looking for it at this moment. */
function putWhole(path: string, text: string): void {
  const temporary = temporaryFor(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(temporary, path);
  } catch (error) {
    // Some file systems have no links.
    if (hasCode(error, 'EEXIST')) throw error;
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  } finally {
    rmSync(temporary, { force: true });
  }
}

const temporaryFor = (path: string): string => `${path}.${process.pid}.${process.hrtime.bigint()}.tmp`;

/** A reader sees the old text or the new one, never a part. */
function replace(path: string, file: KeyFile): void {
  const temporary = temporaryFor(path);
  try {
    writeFileSync(temporary, textOf(file), { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const textOf = (file: KeyFile): string => `${JSON.stringify(file)}\n`;

function keyIn({ privateKey }: KeyFile, path: string): KeyObject {
  try {
    return createPrivateKey(privateKey);
  } catch (error) {
    throw unreadable(path, error);
  }
}

const unreadable = (path: string, cause: unknown): PincerError =>
  new PincerError('TOKEN_UNREADABLE', `The key ${path} cannot be used: ${messageOf(cause)}`, {
    hint: 'Check that the file belongs to you. Without it a new key is made, and the gateway asks to be paired with it.',
    cause,
  });

const unwritable = (path: string, cause: unknown): PincerError =>
  new PincerError('TOKEN_UNREADABLE', `The key ${path} cannot be written: ${messageOf(cause)}`, {
    hint: `Check that you may write to ${dirname(path)}: OpenClaw knows Pincer by a key that is kept there.`,
    cause,
  });
