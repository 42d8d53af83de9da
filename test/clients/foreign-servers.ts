/** Servers that nobody here wrote, as the commands of a pipe; `EVERYTHING` has a file of its own. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Program } from '../kit/stdio.ts';

const FILESYSTEM = '../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js';
const MEMORY = 'node_modules/@modelcontextprotocol/server-memory/dist/index.js';
const PLAYWRIGHT = 'node_modules/@playwright/mcp/cli.js';

const script = (path: string, ...args: string[]): Program => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(path, import.meta.url)), ...args],
});

export const filesystem = (folder: string): Program => script(FILESYSTEM, folder);

export const memory = (file: string): Program => ({ ...script(MEMORY), env: { MEMORY_FILE_PATH: file } });

/** A browser without a window, a profile and a sandbox: root has no sandbox to give. */
export function playwright(folder: string, ...more: string[]): Program {
  const looks = ['--headless', '--isolated', '--no-sandbox'];
  return script(PLAYWRIGHT, ...looks, '--executable-path', chromium(), '--output-dir', folder, ...more);
}

function chromium(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'chromium')).find((path) => existsSync(path));
  if (found === undefined) throw new Error('chromium is not on the PATH');
  return found;
}
