/** The real OpenClaw. Run as a program, it installs it ahead of the tests. */
import { join } from 'node:path';
import { installFolder } from '../kit/installation.ts';

/** How long the installation may take. */
const INSTALL_MS = 300_000;
const MODULES = join(import.meta.dirname, 'node_modules');

/** OpenClaw's own entry file, run by this Node: it does not need its install script. */
export const OPENCLAW = join(MODULES, 'openclaw', 'openclaw.mjs');
/** Compiled code is kept as long as the installation, so that a new profile starts as fast as an old one. */
export const COMPILE_CACHE = join(MODULES, '.compile-cache');

export const installOpenClaw = (): Promise<void> =>
  installFolder(import.meta.dirname, { size: '650 MB', timeoutMs: INSTALL_MS });

if (import.meta.main) await installOpenClaw();
