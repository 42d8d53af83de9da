import { existsSync, readFileSync } from 'node:fs';
import type { SpawnOptions } from '../core/ports.ts';
import { resolveLauncher, type Refusal } from './launcher.ts';

/** The same without a batch file, by what is on this machine. */
export const launchable = (options: SpawnOptions): SpawnOptions | Refusal =>
  resolveLauncher(options, {
    node: process.execPath,
    folder: process.cwd(),
    files: { exists: existsSync, read: (path) => readFileSync(path, 'utf8') },
  });
