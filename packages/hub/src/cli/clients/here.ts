/** Other MCP clients on this machine: where their files are, how they are read, and which entries are Pincer's own. */
import { closest } from '../../lib/text.ts';
import { PincerError, hasCode, messageOf } from '../../core/errors.ts';
import { homedir } from 'node:os';
import type { Place } from '../../config/import/locations.ts';
import type { Environment } from '../../lib/process.ts';
import { portIn, readConfigFile } from '../../config/read-file.ts';
import { choosePort } from '../../config/port.ts';
import { findHub } from '../../owner/hub-file.ts';
import { configPath } from '../../owner/state-folder.ts';
import { isLoopbackHost } from '../../lib/loopback.ts';
import type { ServerDraft } from '../../config/import/types.ts';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** Finds a client by its id. Throws an error that suggests a similar id. */
export function namedClient<C extends { readonly id: string }>(word: string, clients: readonly C[]): C {
  const found = clients.find(({ id }) => id === word.toLowerCase());
  if (found !== undefined) return found;
  const ids = clients.map(({ id }) => id);
  const meant = closest(word, ids);
  throw new PincerError('USAGE', `Unknown client "${word}".`, {
    hint: meant === undefined ? `Known clients: ${ids.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

export const placeHere = (): Place => ({
  platform: process.platform,
  home: homedir(),
  cwd: process.cwd(),
  env: process.env,
});

/** The port that a hub would use, and the port of the running hub. */
export function ownPorts(home: string, env: Environment): number[] {
  const running = findHub(home)?.endpoints.mcp;
  return [chosenPort(home, env), ...(running === undefined ? [] : [Number(new URL(running).port)])];
}

/** Falls back to the default port if the configuration is broken; other checks report that. */
function chosenPort(home: string, env: Environment): number {
  try {
    return choosePort(env, portIn(readConfigFile(configPath(home)))).port;
  } catch {
    return choosePort({}, undefined).port;
  }
}

/** Patterns of entries that start Pincer itself. Importing one would make a loop. */
const OWN_PROGRAM = /(?:^|[\\/])pincer(?:@[^\\/]*)?(?:\.(?:js|cmd|exe|ps1))?$/i;
const OPENCLAW = /(?:^|[\\/])openclaw(?:@[^\\/]*)?(?:\.(?:mjs|js|cmd|exe|ps1))?$/i;
const OWN_COMMANDS: ReadonlySet<string> = new Set(['stdio', 'mcp-server', 'proxy-stdio']);

export interface Self {
  /** Ports that a hub listens on or would listen on. */
  readonly ports: readonly number[];
  /** The script that is running now. */
  readonly entry: string;
}

/** Header by which the OpenClaw plugin marks the entries that it manages. */
const MARK = 'x-pincer-managed';

export function isOwnEntry(
  { command, args = [], url, headers = {} }: ServerDraft,
  { ports, entry }: Self,
): boolean {
  const words = command === undefined ? [] : [command, ...args];
  const isOurs = words.some((word, index) => {
    const next = words[index + 1] ?? '';
    const isProgram = OWN_PROGRAM.test(word) || word === entry;
    return (isProgram && OWN_COMMANDS.has(next)) || (OPENCLAW.test(word) && next === 'mcp-server');
  });
  if (Object.keys(headers).some((name) => name.toLowerCase() === MARK)) return true;
  // A wrapper such as mcp-remote takes the URL as an argument.
  return isOurs || [...words, ...(url === undefined ? [] : [url])].some((word) => isOwnUrl(word, ports));
}

function isOwnUrl(text: string, ports: readonly number[]): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:' || !isLoopbackHost(url.hostname)) return false;
  return ports.includes(Number(url.port || 80)) && /^\/(?:mcp(?:\/.*)?)?$/.test(url.pathname);
}

/** Generous, because some clients keep much else in the same file. */
const MAX_CLIENT_FILE_BYTES = 32 * 1024 * 1024;

/** Returns undefined if the file does not exist. */
export function readClientFile(file: string, maxBytes = MAX_CLIENT_FILE_BYTES): string | undefined {
  let open: number | undefined;
  try {
    // Without O_NONBLOCK, opening a named pipe blocks until a writer opens it.
    open = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(open);
    if (!stats.isFile()) throw unreadable(file, 'it is not a regular file.');
    if (stats.size > maxBytes) throw unreadable(file, `it has more than ${maxBytes} bytes.`);
    return readFileSync(open, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw PincerError.is(error) ? error : unreadable(file, messageOf(error), error);
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

const unreadable = (file: string, reason: string, cause?: unknown): PincerError =>
  new PincerError('CONFIG_UNREADABLE', `${file} cannot be read: ${reason}`, {
    hint: 'Check the owner and permissions of the file.',
    cause,
  });
