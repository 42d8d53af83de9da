/** The peers installed in this folder's node_modules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH_FOLDER } from '../process/folders.ts';

interface Manifest {
  version: string;
  bin: Record<string, string>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(
    readFileSync(join(BENCH_FOLDER, 'node_modules', name, 'package.json'), 'utf8'),
  ) as Manifest;
}

export function installedVersion(name: string): string {
  return manifestOf(name).version;
}

/** The file behind a package's command of the same name. */
export function installedProgram(name: string): string {
  const file = manifestOf(name).bin[name];
  if (file === undefined) throw new Error(`${name} has no command with its name`);
  return join(BENCH_FOLDER, 'node_modules', name, file);
}
