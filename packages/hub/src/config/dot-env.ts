/**
 * `.env` of the folder that `pincer proxy` or `pincer proxy-stdio` is started in. The folder may be a stranger's: nothing
 * else is read from the file, environment and configuration win over it, and what it sets is announced.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '../lib/process.ts';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, SERVER_URL, SESSION_TTL, TOOL_TIMEOUT } from './proxy-settings.ts';

const NAMES = [APP_TOKEN.variable, OPENCLAW_TOKEN.variable, SERVER_URL, SESSION_TTL, TOOL_TIMEOUT];

const MAX_BYTES = 64 * 1024;

export interface DotEnv {
  readonly file: string;
  readonly values: Environment;
}

/** The variables of the app proxy that have a value; none where there is no such file. */
export function readDotEnv(folder: string): DotEnv {
  const file = join(folder, '.env');
  const all = parseEnv(readText(file));
  const values = NAMES.flatMap((name) => {
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return { file, values: Object.fromEntries(values) };
}

function readText(path: string): string {
  try {
    const stats = statSync(path);
    // A folder of this name is how some keep a Python environment.
    if (!stats.isFile()) return '';
    if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw new PincerError('CONFIG_UNREADABLE', `${path} cannot be read: ${messageOf(error)}.`, {
      hint: 'Check that the file belongs to you, or start Pincer in another folder.',
      cause: error,
    });
  }
}
