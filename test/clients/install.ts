/** Clients and servers of others at their exact versions, in a `node_modules` of their own: together they are larger than Pincer. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** How long the installation may take. */
export const INSTALL_MS = 300_000;
const PROGRESS_MS = 15_000;

/** No install script runs, neither of a client nor of anything below it. */
const CI = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund'];

export async function installClients(): Promise<void> {
  if (isInstalled()) return;
  const start = performance.now();
  const say = (what: string): void =>
    console.log(`test/clients: ${what} (${Math.round((performance.now() - start) / 1_000)} s)`);
  say('npm ci, about 1.1 GB on the disk');
  const ticker = setInterval(() => say('still installing'), PROGRESS_MS);
  try {
    await promisify(execFile)('npm', CI, { cwd: FOLDER, timeout: INSTALL_MS, killSignal: 'SIGKILL' });
  } finally {
    clearInterval(ticker);
  }
  say('installed');
}

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean }>;
}

/** npm writes its own list into `node_modules` when everything else is there. */
function isInstalled(): boolean {
  const read = (path: string): Lock =>
    JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as Lock;
  try {
    const installed = read('node_modules/.package-lock.json').packages;
    return Object.entries(read('package-lock.json').packages).every(
      ([path, { version, optional }]) =>
        path === '' || optional === true || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
}
