import { dirname } from 'node:path';

/** Folders above one that are looked at. */
const MAX_ABOVE = 16;

/** A folder and those above it, the nearest first. */
export function upwards(folder: string): string[] {
  const all = [folder];
  while (all.length < MAX_ABOVE && dirname(all.at(-1)!) !== all.at(-1)) all.push(dirname(all.at(-1)!));
  return all;
}
