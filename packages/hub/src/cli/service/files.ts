/** Writes and removes the files of the service, and collects what they contain. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PincerError } from '../../core/errors.ts';
import type { ServiceFile } from './manager.ts';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import type { Environment } from '../../lib/process.ts';
import { inheritedValue, isWrittenByNpm, networkVariables } from '../../core/inherited-variables.ts';
import { hideUrlPasswords } from '../../core/redact/redact-secrets.ts';
import { resolveStateFolder } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';

const BYTE_ORDER_MARK = '\uFEFF';

export function writeServiceFiles(files: readonly ServiceFile[]): void {
  for (const { path, text, encoding } of files) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (encoding === undefined) writeFileSync(path, text, { mode: 0o600 });
      else writeFileSync(path, BYTE_ORDER_MARK + text, { encoding, mode: 0o600 });
    } catch (error) {
      throw new PincerError('CONFIG_UNREADABLE', `${path} cannot be written: ${messageOf(error)}`, {
        hint: 'Check the owner and permissions of its folder.',
        cause: error,
      });
    }
  }
}

export function removeServiceFiles(files: readonly ServiceFile[]): void {
  for (const { path } of files) rmSync(path, { force: true });
}

/** Decided by the first file. */
export const isInstalled = ([file]: readonly ServiceFile[]): boolean =>
  file !== undefined && existsSync(file.path);

/** Whether the installed file equals one written now. Node or Pincer may have moved since. */
export function isCurrent([file]: readonly ServiceFile[]): boolean {
  try {
    const { path, text, encoding } = file!;
    return readFileSync(path, encoding ?? 'utf8').replace(BYTE_ORDER_MARK, '') === text;
  } catch {
    return false;
  }
}

/** How the service starts the hub, and the few environment variables that it needs. */
export interface ServiceFacts {
  /** Absolute path. */
  readonly node: string;
  readonly script: string;
  /** The state folder. */
  readonly home: string;
  /** The home folder of the user account. */
  readonly userHome: string;
  readonly env: Readonly<Record<string, string>>;
  /** Empty for the default state folder. Another state folder has its own service with a suffix in its name. */
  readonly suffix: string;
}

/** Variables that the service gets: paths and ports, never a key or a token. */
const KEPT = ['PATH', 'OPENCLAW_MCP_PORT', 'PINCER_KEYCHAIN', 'PINCER_MASTER_KEY_FILE'];

export function serviceFacts({ home, entry }: Context, env: Environment): ServiceFacts {
  const isDefault = home === resolveStateFolder({});
  const kept = [
    ...KEPT.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])),
    ...forServers(env),
  ];
  return {
    node: process.execPath,
    script: entry,
    home,
    userHome: homedir(),
    env: { ...Object.fromEntries(kept), ...(!isDefault && { PINCER_HOME: home }) },
    suffix: isDefault ? '' : createHash('sha256').update(home).digest('hex').slice(0, 8),
  };
}

/** Certificates, proxies and registries that servers inherit, except URLs with a password. */
function forServers(env: Environment): (readonly [string, string])[] {
  const { platform } = process;
  return networkVariables(platform).flatMap(({ name, kind }) => {
    const value = env[name];
    if (!value || isWrittenByNpm(name, env, platform) || hideUrlPasswords(value) !== value) return [];
    const passed = inheritedValue(value, kind, platform);
    return passed === undefined ? [] : [[name, passed] as const];
  });
}
