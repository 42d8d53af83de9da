/** A place where the vault's key can be. */
import { KEY_BYTES } from './vault-record.ts';

export interface KeySource {
  /** Where the key is, in words. */
  readonly place: string;
  /** Undefined: there is none here, and the next place is asked. Throws where there is one that is not fit. */
  read(): Buffer | undefined;
  /** The same, where it may take long. */
  readonly readLater?: () => Promise<Buffer | undefined>;
  /** Makes a key that stays; undefined: this place takes none. Absent where Pincer makes none. */
  readonly create?: () => Buffer | undefined;
}

export interface MasterKey {
  readonly key: Buffer;
  readonly place: string;
}

/** The first key that there is; undefined when there is none. */
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

/** A key as bytes, base64 or hexadecimal digits; undefined: it is none. */
export function parseKey(bytes: Buffer): Buffer | undefined {
  if (bytes.length === KEY_BYTES) return bytes;
  const text = bytes.toString('latin1').trim();
  if (/^[\da-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
