/** Cameras of Linux: files that the kernel names. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Camera } from '../camera.ts';

export const VIDEO_CLASS = '/sys/class/video4linux';

/** `root` is where the kernel lists them. */
export async function listV4l2(root = VIDEO_CLASS): Promise<readonly Camera[]> {
  const entries = (await readdir(root).catch(() => [])).filter((entry) => /^video\d+$/.test(entry));
  const found = await Promise.all(entries.map((entry) => readCamera(root, entry)));
  return found.filter((camera) => camera !== undefined).toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
}

/** One camera has several files; the first gives pictures, and others what belongs to them. */
async function readCamera(root: string, entry: string): Promise<Camera | undefined> {
  const index = await readText(join(root, entry, 'index'));
  if (index !== undefined && index !== '0') return undefined;
  return { id: `/dev/${entry}`, name: (await readText(join(root, entry, 'name'))) || entry };
}

const readText = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

const numberOf = (id: string): number => Number(/\d+$/.exec(id)?.[0]);
