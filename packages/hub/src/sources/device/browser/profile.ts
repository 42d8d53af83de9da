/** Profile folders: empty at the start, and gone with the browser. Nothing of the person's own browser is in them. */
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^browser-(\d+)-/;

const runFolder = (home: string): string => join(home, 'run');

export function makeProfile(home: string): string {
  mkdirSync(runFolder(home), { recursive: true, mode: 0o700 });
  return mkdtempSync(join(runFolder(home), `browser-${process.pid}-`));
}

/** Chromium's processes may still be writing for a moment after its end. */
export const removeProfile = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });

/** Folders of processes that are gone: a hub that was killed removes nothing. */
export async function removeLeftProfiles(home: string): Promise<void> {
  const left = namesIn(runFolder(home)).filter((name) => {
    const pid = Number(NAME.exec(name)?.[1]);
    return Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid && !lives(pid);
  });
  await Promise.all(left.map((name) => removeProfile(join(runFolder(home), name)).catch(() => undefined)));
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
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
