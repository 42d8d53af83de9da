/**
 * Temporary folders below `run/` of the state folder: private to this user, named after the process, removed afterwards.
 */
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../core/errors.ts';

export const RUN_FOLDERS = ['browser', 'exec', 'media', 'speech'] as const;
export type RunFolderKind = (typeof RUN_FOLDERS)[number];

const runFolder = (home: string): string => join(home, 'run');

export function makeRunFolder(home: string, kind: RunFolderKind): string {
  mkdirSync(runFolder(home), { recursive: true, mode: 0o700 });
  return mkdtempSync(join(runFolder(home), `${kind}-${process.pid}-`));
}

/** Retries: a program that is ending may still write there. */
export const removeRunFolder = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

/** Removes folders of dead processes: a hub that was killed leaves its folders behind. */
export async function removeLeftFolders(home: string, kind: RunFolderKind): Promise<void> {
  const name = new RegExp(String.raw`^${kind}-(\d+)-`);
  const left = namesIn(runFolder(home)).filter((each) => {
    const pid = Number(name.exec(each)?.[1]);
    return Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid && !lives(pid);
  });
  await Promise.all(left.map((each) => removeRunFolder(join(runFolder(home), each)).catch(() => undefined)));
}

/** Runs `work` with a temporary folder. */
export async function inRunFolder<T>(
  home: string,
  kind: RunFolderKind,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  await removeLeftFolders(home, kind);
  const folder = makeRunFolder(home, kind);
  try {
    return await work(folder);
  } finally {
    await removeRunFolder(folder);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
