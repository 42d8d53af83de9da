/** The identity towards a gateway: a key, created once for a state folder, and the tokens that gateways issued to it. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import type { DeviceIdentity } from '../core/ports.ts';
import { sha256 } from '../lib/digest.ts';
import { isRecord } from '../lib/record.ts';
import { createFileOnce, writeFileAtomically } from './state-folder.ts';

interface KeyFile {
  readonly version: 1;
  /** PEM. */
  readonly privateKey: string;
  /** Tokens of an operator, by the gateway's URL. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Tokens of a node, by the gateway's URL. */
  readonly nodeTokens?: Readonly<Record<string, string>>;
}

const PLACE = { operator: 'tokens', node: 'nodeTokens' } as const;

/** Length of the key at the end of its DER form; the prefix is the same for all Ed25519 keys. */
const KEY_BYTES = 32;
/** A gateway keeps one node for each key. The machine and the tools that OpenClaw's plugin publishes are two nodes. */
const NAMES = { device: 'device-key-ed25519.json', tools: 'tools-key-ed25519.json' } as const;

export const identityPath = (home: string, of: keyof typeof NAMES = 'device'): string =>
  join(home, NAMES[of]);

export function openIdentity(home: string, of: keyof typeof NAMES = 'device'): DeviceIdentity {
  const path = identityPath(home, of);
  const key = keyIn(readKeyFile(path) ?? makeKeyFile(path), path);
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
  return {
    id: sha256(raw),
    publicKey: raw.toString('base64url'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
    tokenFor: (url, role = 'operator') => readKeyFile(path)?.[PLACE[role]]?.[url],
    keepToken(url, token, role = 'operator') {
      const file = readKeyFile(path);
      const place = PLACE[role];
      if (file === undefined || file[place]?.[url] === token) return;
      const { [url]: _, ...others } = file[place] ?? {};
      const tokens = token === undefined ? others : { ...others, [url]: token };
      writeFileAtomically(path, textOf({ ...file, [place]: tokens }));
    },
  };
}

function readKeyFile(path: string): KeyFile | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isRecord(file)) throw new TypeError('the file was not written by Pincer');
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
  let isCreated: boolean;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    isCreated = createOnce(path, textOf(file));
  } catch (error) {
    throw unwritable(path, error);
  }
  // If another process created the key in the meantime, that one is used.
  return isCreated ? file : (readKeyFile(path) ?? makeKeyFile(path));
}

function createOnce(path: string, text: string): boolean {
  try {
    return createFileOnce(path, text);
  } catch {
    // Some file systems have no links.
    return createPlainly(path, text);
  }
}

function createPlainly(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
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
    hint: 'Check that the file belongs to you. If you remove it, Pincer creates a new key and you have to pair with the gateway again.',
    cause,
  });

const unwritable = (path: string, cause: unknown): PincerError =>
  new PincerError('TOKEN_UNREADABLE', `The key ${path} cannot be written: ${messageOf(cause)}`, {
    hint: `Make ${dirname(path)} writable. Pincer keeps its key for OpenClaw there.`,
    cause,
  });
