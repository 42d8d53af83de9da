/** Prepares a measurement: installs the peers at their exact versions, and builds Pincer. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_FOLDER, ROOT_FOLDER } from './process/folders.ts';
import { installedVersion } from './subjects/installed.ts';

function npm(args: string[], cwd: string): void {
  // stdout is reserved for the result.
  execFileSync('npm', args, { cwd, stdio: ['ignore', 2, 2] });
}

function isInstalled([name, version]: [string, string]): boolean {
  try {
    return installedVersion(name) === version;
  } catch {
    return false;
  }
}

export function installPeers(): void {
  const manifest = JSON.parse(readFileSync(join(BENCH_FOLDER, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  if (Object.entries(manifest.dependencies).every(isInstalled)) return;
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], BENCH_FOLDER);
}

export function buildPincer(): void {
  npm(['run', '--silent', 'build'], ROOT_FOLDER);
}
