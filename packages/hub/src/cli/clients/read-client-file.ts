import { readFileSync } from 'node:fs';
import { hasCode, messageOf, PincerError } from '../../core/errors.ts';

/** Undefined where there is no such file. */
export function readClientFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw new PincerError('CONFIG_UNREADABLE', `${file} cannot be read: ${messageOf(error)}`, {
      hint: 'Check that the file belongs to you.',
      cause: error,
    });
  }
}
