/** The format of a backup: one gzipped JSON file that holds the files of a state folder and their digests. */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { PincerError } from '../../core/errors.ts';
import { isBackedUp } from './contents.ts';

export interface BackupFile {
  /** Relative to the state folder, separated by `/`. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface Backup {
  readonly createdAt: string;
  readonly files: readonly BackupFile[];
}

const archiveSchema = z.object({
  format: z.literal('pincer-backup'),
  version: z.literal(1),
  createdAt: z.string(),
  files: z.array(z.object({ path: z.string(), sha256: z.string(), data: z.base64() })),
});

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export function packBackup({ createdAt, files }: Backup, pincer: string): Buffer {
  const packed = files.map(({ path, bytes }) => ({
    path,
    sha256: digest(bytes),
    data: bytes.toString('base64'),
  }));
  return gzipSync(JSON.stringify({ format: 'pincer-backup', version: 1, pincer, createdAt, files: packed }));
}

/** Throws ARGUMENT_INVALID if the file is not a backup, or if a digest does not match. */
export function unpackBackup(bytes: Buffer, name: string): Backup {
  let content: unknown;
  try {
    content = JSON.parse(gunzipSync(bytes).toString('utf8'));
  } catch (error) {
    throw unfit(name, 'is not a Pincer backup, or is damaged', error);
  }
  const read = archiveSchema.safeParse(content);
  if (!read.success) throw unfit(name, 'is not a backup that this version of Pincer can read', read.error);
  const files = read.data.files.map(({ path, sha256, data }) => {
    const file = { path, bytes: Buffer.from(data, 'base64') };
    if (digest(file.bytes) !== sha256) throw unfit(name, `is damaged: the digest of ${path} does not match`);
    if (!isBackedUp(path)) throw unfit(name, `contains "${path}", which does not belong in a state folder`);
    return file;
  });
  return { createdAt: read.data.createdAt, files };
}

const unfit = (name: string, what: string, cause?: unknown): PincerError =>
  new PincerError('ARGUMENT_INVALID', `${name} ${what}.`, {
    hint: 'Nothing was changed. Try another backup, or a daily copy from copies/ in the state folder: pincer restore FILE',
    cause,
  });
