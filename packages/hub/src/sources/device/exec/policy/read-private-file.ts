/** Files that decide what may run. One that may be reached by another name (a link, a hard link) is not read at all. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { hasCode } from '../../../../core/errors.ts';
import { sha256Hex } from '../sha256.ts';

/** A larger one is not read. */
export const MAX_BYTES = 4 * 1024 * 1024;

export type PrivateFile =
  | { readonly state: 'missing' }
  | { readonly state: 'read'; readonly text: string; readonly hash: string }
  /** `why` is the end of a sentence that begins with the file's name. */
  | { readonly state: 'unusable'; readonly why: string };

/** What stands for the hash of a file that is not there. */
export const MISSING_HASH = `missing:${sha256Hex('')}`;

export function readPrivateFile(path: string): PrivateFile {
  let descriptor: number | undefined;
  try {
    const problem = problemOf(lstatSync(path));
    if (problem !== undefined) return { state: 'unusable', why: problem };
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    // Once more: it may have been exchanged between the look and the opening.
    const opened = problemOf(fstatSync(descriptor));
    if (opened !== undefined) return { state: 'unusable', why: opened };
    const bytes = readFileSync(descriptor);
    return { state: 'read', text: bytes.toString('utf8'), hash: sha256Hex(bytes) };
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { state: 'missing' } : { state: 'unusable', why: 'cannot be read' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function problemOf(stat: Stats): string | undefined {
  if (stat.isSymbolicLink()) return 'is a link';
  if (!stat.isFile()) return 'is not a file';
  if (stat.nlink > 1) return 'has a second name (hard link)';
  return stat.size > MAX_BYTES ? 'is too large' : undefined;
}

export function parseJson(text: string): unknown {
  try {
    // As some editors write it.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
