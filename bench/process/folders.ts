/** Where things are: this folder, the repository, and temporary folders that go away at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const benchFolder = dirname(import.meta.dirname);
export const rootFolder = dirname(benchFolder);

let base: string | undefined;

/** Short paths: a socket's path may have 108 bytes. */
export function temporaryFolder(name: string): string {
  base ??= mkdtempSync(join(tmpdir(), 'pincer-bench-'));
  const folder = mkdtempSync(join(base, `${name}-`));
  return folder;
}

export function removeTemporaryFolders(): void {
  if (base !== undefined) rmSync(base, { recursive: true, force: true });
}

/** Results are committed: they say nothing about the machine's folders. */
export function withoutFolders(text: string): string {
  const hidden = text.replaceAll(rootFolder, '<repository>');
  return base === undefined ? hidden : hidden.replaceAll(base, '<temporary>');
}
