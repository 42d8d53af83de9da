/** What a service has to know: how the hub is started, and the little of the environment that it needs. */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import type { Environment } from '../../lib/process.ts';
import { inheritedValue, isWrittenByNpm, networkVariables } from '../../core/inherited-variables.ts';
import { hideUrlPasswords } from '../../core/redact/redact-secrets.ts';
import { resolveStateFolder } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';

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
