/** Paths: this folder, the repository, and temporary folders that are removed at the end. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const BENCH_FOLDER = dirname(import.meta.dirname);
export const ROOT_FOLDER = dirname(BENCH_FOLDER);

let base: string | undefined;

function baseFolder(): string {
  base ??= mkdtempSync(join(tmpdir(), 'pincer-bench-'));
  return base;
}

/** Short paths, because a socket's path may have only 108 bytes. */
export function temporaryFolder(name: string): string {
  return mkdtempSync(join(baseFolder(), `${name}-`));
}

/** Kept between starts of a program, as on a real machine. */
export function cacheFolder(name: string): string {
  const folder = join(baseFolder(), 'caches', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function removeTemporaryFolders(): void {
  if (base !== undefined) rmSync(base, { recursive: true, force: true });
}

/** Results are committed, so they must not reveal the machine's folders. */
export function withoutFolders(text: string): string {
  const hidden = text.replaceAll(ROOT_FOLDER, '<repository>');
  return base === undefined ? hidden : hidden.replaceAll(base, '<temporary>');
}
