/** `.env` of the folder that the proxy is started in. Whatever else stands there is somebody else's. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from '../core/environment.ts';
import { hasCode, messageOf, PincerError } from '../core/errors.ts';
import { APP_TOKEN, OPENCLAW_TOKEN, SERVER_URL, SESSION_TTL, TOOL_TIMEOUT } from './proxy-settings.ts';

const NAMES = [APP_TOKEN.variable, OPENCLAW_TOKEN.variable, SERVER_URL, SESSION_TTL, TOOL_TIMEOUT];

const MAX_BYTES = 64 * 1024;

/** The variables of the app proxy; none where there is no such file. */
export function readDotEnv(folder: string): Readonly<Record<string, string>> {
  const path = join(folder, '.env');
  const all = parseEnv(readText(path));
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = Object.hasOwn(all, name) ? all[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** The environment wins; a variable that is empty there counts as not set. */
export function withDotEnv(env: Environment, folder: string): Environment {
  const more = Object.entries(readDotEnv(folder)).filter(([name]) => !env[name]);
  return { ...env, ...Object.fromEntries(more) };
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
