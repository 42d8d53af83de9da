/** Third-party programs at exact versions, in their own `node_modules`, because they are larger than Pincer. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './processes.ts';

const PROGRESS_MS = 15_000;
const POLL_MS = 200;

/** No install script runs, not even of a dependency. */
const CI = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];

interface Bounds {
  /** Size on disk, for the message. */
  size: string;
  /** Timeout for the installation. */
  timeoutMs: number;
}

/** Installs the folder's lock file unless it is already installed. One process installs; others wait for it. */
export async function installFolder(folder: string, bounds: Bounds): Promise<void> {
  if (isInstalled(folder)) return;
  const mark = join(folder, '.installing');
  const isFree = (): boolean => {
    try {
      mkdirSync(mark);
      return true;
    } catch {
      return false;
    }
  };
  // A lock left by a killed run blocks the next one no longer than an installation takes.
  if (!(await eventually(isFree, bounds.timeoutMs, POLL_MS))) rmSync(mark, { recursive: true, force: true });
  try {
    if (!isInstalled(folder)) await install(folder, bounds);
  } finally {
    rmSync(mark, { recursive: true, force: true });
  }
}

async function install(folder: string, { size, timeoutMs }: Bounds): Promise<void> {
  const start = performance.now();
  const say = (what: string): void =>
    console.log(`test/${basename(folder)}: ${what} (${Math.round((performance.now() - start) / 1_000)} s)`);
  say(`npm ci, about ${size} on the disk`);
  const ticker = setInterval(() => say('still installing'), PROGRESS_MS);
  try {
    await promisify(execFile)('npm', [...CI, '--prefix', folder], {
      cwd: folder,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
  } finally {
    clearInterval(ticker);
  }
  say('installed');
}

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean }>;
}

/** npm writes this list into `node_modules` last. */
function isInstalled(folder: string): boolean {
  const read = (path: string): Lock => JSON.parse(readFileSync(join(folder, path), 'utf8')) as Lock;
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
