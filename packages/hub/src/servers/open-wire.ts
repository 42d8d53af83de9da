import type { ServerConfig } from '../config/schema.ts';
import type { Limits } from '../core/limits.ts';
import type { Log, Spawn } from '../core/ports.ts';
import { childEnvironment } from '../owner/child-environment.ts';
import { planLaunch } from './stdio/plan-launch.ts';
import { openStdioWire } from './stdio/stdio-wire.ts';
import type { ServerTokens } from './oauth/grants/server-tokens.ts';
import type { Tail } from './stdio/tail.ts';
import { openWebWire } from './http/web-wire.ts';
import type { OpenWire } from './wire.ts';

export interface OpenWireParts {
  readonly server: string;
  readonly config: ServerConfig;
  readonly spawn: Spawn;
  readonly limits: Limits;
  readonly log: Log;
  readonly stderr: Tail;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where somebody can sign in to the server. */
  readonly tokens?: ServerTokens | undefined;
}

export const isStdio = (config: ServerConfig): boolean => config.command !== undefined;

/** The configuration itself says what shows who asks. */
export const hasOwnKey = ({ apiKey, headers }: ServerConfig): boolean =>
  apiKey !== undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');

/** The wire that a server's configuration asks for. */
export function openWireFor(parts: OpenWireParts): OpenWire {
  const { server, config, spawn, limits, log, stderr } = parts;
  if (config.command === undefined) {
    const { apiKey, connectTimeoutMs } = config;
    const headers = lowerCased(config.headers);
    if (apiKey !== undefined) headers['authorization'] = `Bearer ${apiKey}`;
    // What the person has configured to be sent is what is sent.
    const tokens = hasOwnKey(config) ? undefined : parts.tokens;
    return openWebWire({ server, url: new URL(config.url!), headers, connectTimeoutMs, limits, log, tokens });
  }
  const { command, args, cwd } = config;
  const env = childEnvironment(config.env, parts.env, process.platform);
  const child = planLaunch({ command, args, cwd, env }, process.platform);
  return openStdioWire({ server, child, spawn, limits, log, stderr });
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
