/** A folder for files that a program makes, which nobody else can read and which is gone afterwards. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../../core/errors.ts';

/** By the process that it belongs to. */
const NAME = /^media-(\d+)-/;

/** Below the state folder: it is this user's alone. */
export async function inWorkFolder<T>(home: string, work: (folder: string) => Promise<T>): Promise<T> {
  const run = join(home, 'run');
  await mkdir(run, { recursive: true, mode: 0o700 });
  await removeLeft(run);
  const folder = await mkdtemp(join(run, `media-${process.pid}-`));
  try {
    return await work(folder);
  } finally {
    await remove(folder);
  }
}

/** A hub that was killed removes nothing. */
async function removeLeft(run: string): Promise<void> {
  const left = (await readdir(run)).filter((name) => {
    const pid = Number(NAME.exec(name)?.[1]);
    return Number.isSafeInteger(pid) && pid > 1 && !lives(pid);
  });
  await Promise.all(left.map((name) => remove(join(run, name)).catch(() => undefined)));
}

const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
