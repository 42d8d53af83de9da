/** Reads a file of another program. Whoever wrote a repository may have put a link to a device or a pipe there. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { hasCode, messageOf, PincerError } from '../../core/errors.ts';

/** Some clients keep much else in theirs. */
const MAX_CLIENT_FILE_BYTES = 32 * 1024 * 1024;

/** Undefined where there is none. */
export function readClientFile(file: string, maxBytes = MAX_CLIENT_FILE_BYTES): string | undefined {
  let open: number | undefined;
  try {
    // A pipe would otherwise wait for somebody who writes.
    open = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(open);
    if (!stats.isFile()) throw unreadable(file, 'it is not a regular file.');
    if (stats.size > maxBytes) throw unreadable(file, `it has more than ${maxBytes} bytes.`);
    return readFileSync(open, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw PincerError.is(error) ? error : unreadable(file, messageOf(error), error);
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

const unreadable = (file: string, reason: string, cause?: unknown): PincerError =>
  new PincerError('CONFIG_UNREADABLE', `${file} cannot be read: ${reason}`, {
    hint: 'Check that the file belongs to you.',
    cause,
  });
