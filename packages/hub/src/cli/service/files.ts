/** The files of the service, and what is written into them. */
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
        hint: 'Check that its folder belongs to you.',
        cause: error,
      });
    }
  }
}

export function removeServiceFiles(files: readonly ServiceFile[]): void {
  for (const { path } of files) rmSync(path, { force: true });
}

/** The first file is the one that counts. */
export const isInstalled = ([file]: readonly ServiceFile[]): boolean =>
  file !== undefined && existsSync(file.path);

/** Whether it is what would be written now: Node or Pincer may have moved since. */
export function isCurrent([file]: readonly ServiceFile[]): boolean {
  try {
    const { path, text, encoding } = file!;
    return readFileSync(path, encoding ?? 'utf8').replace(BYTE_ORDER_MARK, '') === text;
  } catch {
    return false;
  }
}

/** What a service has to know: how the hub is started, and the little of the environment that it needs. */
export interface ServiceFacts {
  /** Absolute. */
  readonly node: string;
  readonly script: string;
  /** The state folder. */
  readonly home: string;
  /** The person's home folder. */
  readonly userHome: string;
  readonly env: Readonly<Record<string, string>>;
  /** Empty for the usual state folder; another one has a service of its own. */
  readonly suffix: string;
}

/** Where programs are found, where things are, which port: never a key or a token. */
const KEPT = ['PATH', 'OPENCLAW_MCP_PORT', 'PINCER_KEYCHAIN', 'PINCER_MASTER_KEY_FILE'];

export function serviceFacts({ home, entry }: Context, env: Environment): ServiceFacts {
  const isUsual = home === resolveStateFolder({});
  const kept = [
    ...KEPT.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])),
    ...forServers(env),
  ];
  return {
    node: process.execPath,
    script: entry,
    home,
    userHome: homedir(),
    env: { ...Object.fromEntries(kept), ...(!isUsual && { PINCER_HOME: home }) },
    suffix: isUsual ? '' : createHash('sha256').update(home).digest('hex').slice(0, 8),
  };
}

/** Certificates, proxies and registries that servers inherit, unless a password is in the address. */
function forServers(env: Environment): (readonly [string, string])[] {
  const { platform } = process;
  return networkVariables(platform).flatMap(({ name, kind }) => {
    const value = env[name];
    if (!value || isWrittenByNpm(name, env, platform) || hideUrlPasswords(value) !== value) return [];
    const passed = inheritedValue(value, kind, platform);
    return passed === undefined ? [] : [[name, passed] as const];
  });
}
