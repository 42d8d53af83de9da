/** A text at rest: AES-256-GCM under a key of its kind, bound to everything that the record says of itself. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { isRecord } from '../lib/record.ts';

export const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

export interface RecordHead {
  /** What sort of record: each has a key of its own, made of the master key. */
  readonly kind: string;
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SealedRecord extends RecordHead {
  readonly version: typeof VERSION;
  /** Which master key it takes; tells nothing about the key. */
  readonly key: string;
  readonly sealed: string;
}

/** A name for a key, to tell a wrong key from a damaged record. */
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

/** Undefined when anything in it was changed, or the key is another one. */
export function openRecord(master: Buffer, record: SealedRecord): string | undefined {
  const bytes = Buffer.from(record.sealed, 'base64url');
  // The last letter may have bits that mean nothing: changed ones are a change all the same.
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

/** Undefined for a text that is not exactly what `writeRecord` gives. */
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
