import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PincerError } from '../../core/errors.ts';
import type { ServiceFile } from './manager.ts';

const BYTE_ORDER_MARK = '\uFEFF';

export function writeServiceFiles(files: readonly ServiceFile[]): void {
  for (const { path, text, encoding } of files) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (encoding === undefined) writeFileSync(path, text, { mode: 0o600 });
      else writeFileSync(path, BYTE_ORDER_MARK + text, { encoding, mode: 0o600 });
    } catch (error) {
      throw new PincerError('CONFIG_UNREADABLE', `${path} cannot be written: ${messageOf(error)}`, {
        hint: 'Check that its folder belongs to you.',
        cause: error,
      });
    }
  }
}

export function removeServiceFiles(files: readonly ServiceFile[]): void {
  for (const { path } of files) rmSync(path, { force: true });
}

/** The first file is the one that counts. */
export const isInstalled = ([file]: readonly ServiceFile[]): boolean =>
  file !== undefined && existsSync(file.path);

/** Whether it is what would be written now: Node or Pincer may have moved since. */
export function isCurrent([file]: readonly ServiceFile[]): boolean {
  try {
    const { path, text, encoding } = file!;
    return readFileSync(path, encoding ?? 'utf8').replace(BYTE_ORDER_MARK, '') === text;
  } catch {
    return false;
  }
}
