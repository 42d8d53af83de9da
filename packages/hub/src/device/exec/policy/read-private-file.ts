/** Files that decide what may run. One that may be reached by another name (a link, a hard link) is not read at all. */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '../../../core/errors.ts';
import { sha256Hex } from '../sha256.ts';

/** A larger one is not read. */
export const MAX_BYTES = 4 * 1024 * 1024;

export type PrivateFile =
  | { readonly state: 'missing' }
  | { readonly state: 'read'; readonly text: string; readonly hash: string }
  | ({ readonly state: 'unusable' } & Unusable);

export interface Unusable {
  /** The end of a sentence that begins with the file's name. */
  readonly why: string;
  /** The next step, where there is one that surely helps. */
  readonly remedy?: string;
}

/** What stands for the hash of a file that is not there. */
export const MISSING_HASH = `missing:${sha256Hex('')}`;

export function readPrivateFile(path: string): PrivateFile {
  let descriptor: number | undefined;
  try {
    const problem = folderProblem(dirname(path)) ?? problemOf(lstatSync(path), path);
    if (problem !== undefined) return { state: 'unusable', ...problem };
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    // Once more: it may have been exchanged between the look and the opening.
    const opened = problemOf(fstatSync(descriptor), path);
    if (opened !== undefined) return { state: 'unusable', ...opened };
    const bytes = readFileSync(descriptor);
    return { state: 'read', text: bytes.toString('utf8'), hash: sha256Hex(bytes) };
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { state: 'missing' } : { state: 'unusable', why: 'cannot be read' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function problemOf(stat: Stats, path: string): Unusable | undefined {
  if (stat.isSymbolicLink()) return { why: 'is a link' };
  if (!stat.isFile()) return { why: 'is not a file' };
  if (stat.nlink > 1) return { why: 'has a second name (hard link)' };
  if (stat.size > MAX_BYTES) return { why: 'is too large' };
  return othersProblem(stat, { path, uid: process.getuid?.(), mode: '600' });
}

/** Who can write to the folder can put another file into the file's place. */
function folderProblem(folder: string): Unusable | undefined {
  const problem = othersProblem(statSync(folder), { path: folder, uid: process.getuid?.(), mode: '700' });
  return problem && { ...problem, why: `is in a folder that ${problem.why}` };
}

export interface Place {
  readonly path: string;
  /** This user; undefined on Windows, where files have no such owner. */
  readonly uid: number | undefined;
  /** What to set, in the remedy. */
  readonly mode: string;
}

/** A file that another user owns or can write to is that user's word, and not this one's. */
export function othersProblem(
  { uid: owner, mode }: Pick<Stats, 'uid' | 'mode'>,
  { path, uid, mode: wanted }: Place,
): Unusable | undefined {
  if (uid === undefined) return undefined;
  if (owner !== uid && owner !== 0)
    return {
      why: `belongs to another user (uid ${owner})`,
      remedy: `Look at it, then run: sudo chown ${uid} ${path}`,
    };
  if ((mode & 0o022) === 0) return undefined;
  const bits = (mode & 0o777).toString(8);
  return {
    why: `can be written by other users (mode ${bits})`,
    remedy: `Look at it, then run: chmod ${wanted} ${path}`,
  };
}

export function parseJson(text: string): unknown {
  try {
    // As some editors write it.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
