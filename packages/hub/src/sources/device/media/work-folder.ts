/** A folder for files that a program makes, which nobody else can read and which is gone afterwards. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Below the state folder: it is this user's alone. */
export async function inWorkFolder<T>(home: string, work: (folder: string) => Promise<T>): Promise<T> {
  const run = join(home, 'run');
  await mkdir(run, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(run, 'media-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
