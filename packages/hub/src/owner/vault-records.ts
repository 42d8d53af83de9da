/**
 * Sealed records of a state folder: their format and their files. A record is encrypted with AES-256-GCM under a key of
 * its kind, and bound to its own metadata.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { isRecord } from '../lib/record.ts';
import { prepareStateFolder, writeFileAtomically } from './state-folder.ts';

export const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

interface RecordHead {
  /** Each kind has its own key, derived from the master key. */
  readonly kind: string;
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SealedRecord extends RecordHead {
  readonly version: typeof VERSION;
  /** Name of the master key. Reveals nothing about the key. */
  readonly key: string;
  readonly sealed: string;
}

/** Returns a name for a key, which tells a wrong key from a damaged record. */
export const keyName = (master: Buffer): string =>
  createHash('sha256').update('pincer master key').update(master).digest('hex').slice(0, 16);

export function sealRecord(master: Buffer, head: RecordHead, text: string): SealedRecord {
  const { kind, id, createdAt, updatedAt } = head;
  const whole = { version: VERSION, kind, id, createdAt, updatedAt, key: keyName(master) } as const;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyFor(master, kind), nonce).setAAD(identity(whole));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return { ...whole, sealed: Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url') };
}

/** Returns undefined if the record was changed in any way, or the key is another one. */
export function openRecord(master: Buffer, record: SealedRecord): string | undefined {
  const bytes = Buffer.from(record.sealed, 'base64url');
  // The last letter may have unused bits. Changing them counts too.
  if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== record.sealed)
    return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  try {
    const decipher = createDecipheriv(ALGORITHM, keyFor(master, record.kind), nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(identity(record)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

export const writeRecord = (record: SealedRecord): string => `${JSON.stringify(record, undefined, 2)}\n`;

/** Returns undefined for a text that is not exactly what `writeRecord` returns. */
export function readRecord(text: string): SealedRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isSealedRecord(value) && writeRecord(value) === text ? value : undefined;
}

const isSealedRecord = (value: unknown): value is SealedRecord =>
  isRecord(value) &&
  value['version'] === VERSION &&
  ['kind', 'id', 'createdAt', 'updatedAt', 'key', 'sealed'].every(
    (member) => typeof value[member] === 'string',
  );

const keyFor = (master: Buffer, kind: string): Buffer =>
  Buffer.from(hkdfSync('sha256', master, '', `pincer ${kind} ${VERSION}`, KEY_BYTES));

const identity = ({ version, kind, id, createdAt, updatedAt, key }: Omit<SealedRecord, 'sealed'>): Buffer =>
  Buffer.from(JSON.stringify([version, kind, id, createdAt, updatedAt, key]));

export const RECORD_SUFFIX = '.json';

export const secretsFolder = (home: string): string => join(home, 'secrets');
/** Tokens of sign-ins. */
export const grantsFolder = (home: string): string => join(home, 'tokens');

export const allRecordPaths = (home: string): string[] =>
  [secretsFolder(home), grantsFolder(home)].flatMap((folder) =>
    recordFiles(folder).map((file) => join(folder, file)),
  );

export function recordFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith(RECORD_SUFFIX));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw unreadable(folder, 'read', error);
  }
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unreadable(path, 'read', error);
  }
}

export function writeText(home: string, folder: string, file: string, text: string): void {
  prepareStateFolder(home);
  const path = join(folder, file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileAtomically(path, text);
  } catch (error) {
    throw unreadable(path, 'written', error);
  }
}

const unreadable = (path: string, verb: string, error: unknown): PincerError =>
  new PincerError('VAULT_UNREADABLE', `${path} cannot be ${verb}: ${messageOf(error)}`, {
    hint: 'Check that it belongs to you.',
    cause: error,
  });
