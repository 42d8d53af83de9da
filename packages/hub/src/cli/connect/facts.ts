/** What a client needs to connect to Pincer: a program to start, or a URL and a token. */
import { portIn, readConfigFile } from '../../config/read-file.ts';
import { choosePort } from '../../config/port.ts';
import type { Environment } from '../../lib/process.ts';
import { PincerError } from '../../core/errors.ts';
import { findHub } from '../../owner/hub-file.ts';
import { configPath, mcpTokenPath } from '../../owner/state-folder.ts';
import type { Context } from '../context.ts';
import { assertView } from '../servers/views.ts';

export type Mode = 'stdio' | 'http';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ConnectFacts {
  /** Name of the entry in the client. */
  readonly name: string;
  readonly program: Program;
  readonly url: string;
  /** A foreground hub is listening there now. */
  readonly isListening: boolean;
  readonly tokenFile: string;
}

export function factsOf(
  server: string | undefined,
  { home, entry }: Context,
  env: Environment,
): ConnectFacts {
  const config = readConfigFile(configPath(home));
  if (server !== undefined) assertView(server, home, env);
  const hub = findHub(home);
  const isListening = hub?.mode === 'foreground';
  const mcp = isListening ? hub.endpoints.mcp : `http://127.0.0.1:${portOf(config, env)}/mcp`;
  return {
    name: server === undefined ? 'pincer' : `pincer-${server}`,
    program: programOf(server, { home, entry, env }),
    url: server === undefined ? mcp : `${mcp}/${encodeURIComponent(server)}`,
    isListening,
    tokenFile: mcpTokenPath(home),
  };
}

/** Uses absolute paths, because desktop programs do not have the PATH of a terminal. */
function programOf(
  server: string | undefined,
  { home, entry, env }: { home: string; entry: string; env: Environment },
): Program {
  const words = ['stdio', ...(server === undefined ? [] : ['--server', server])];
  // The client does not have these variables, so a non-default state folder must be in its entry.
  const hasCustomHome = Boolean(env['PINCER_HOME']) || Boolean(env['OPENCLAW_STATE_DIR']);
  // The cache of npx is temporary, so its path must not be in the entry.
  const isInNpxCache = /[\\/]_npx[\\/]/.test(entry);
  return {
    command: isInNpxCache ? 'npx' : process.execPath,
    args: [...(isInNpxCache ? ['-y', 'pincer'] : [entry]), ...words],
    env: hasCustomHome ? { PINCER_HOME: home } : {},
  };
}

function portOf(config: unknown, env: Environment): number {
  const { port, setting } = choosePort(env, portIn(config));
  if (port !== 0) return port;
  throw new PincerError('CONFIG_INVALID', `${setting} is 0, so the hub uses a different port each time.`, {
    hint: 'Set it to a fixed port, or let the client start a program: --stdio',
  });
}
