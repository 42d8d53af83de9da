/** Finds the state folder and the hub's program from inside a gateway. */
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { resolveStateFolder } from 'pincer/client';
import type { HostApi } from '../host.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface Place {
  readonly home: string;
  readonly entry: string;
  /** The gateway's `openclaw.json`. */
  readonly configFile: string;
  /** The environment of the hub, which reads the gateway's configuration. */
  readonly env: Environment;
}

export function findPlace({ rootDir, runtime }: HostApi, env: Environment): Place {
  const stateDir = runtime.state.resolveStateDir();
  const configFile = named(env) ?? join(stateDir, 'openclaw.json');
  const seen = { ...env, OPENCLAW_STATE_DIR: stateDir, OPENCLAW_CONFIG_PATH: configFile };
  // The running code is a copy in another folder, so packages are resolved from where the plugin is installed.
  const from = createRequire(rootDir === undefined ? import.meta.url : join(rootDir, 'package.json'));
  return {
    home: resolveStateFolder(seen),
    entry: join(dirname(from.resolve('pincer/package.json')), 'bin', 'pincer.js'),
    configFile,
    env: seen,
  };
}

/** Expands `~` like the host, because no shell does that in a service unit. */
function named(env: Environment): string | undefined {
  const path = env['OPENCLAW_CONFIG_PATH']?.trim();
  if (!path) return undefined;
  const home = env['OPENCLAW_HOME'] || env['HOME'] || homedir();
  return resolve(path.replace(/^~(?=$|[\\/])/, () => home));
}
