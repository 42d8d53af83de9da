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

/** The client that a command was given by its name; throws with the one that was probably meant. */
export function namedClient<C extends { readonly id: string }>(word: string, clients: readonly C[]): C {
  const found = clients.find(({ id }) => id === word.toLowerCase());
  if (found !== undefined) return found;
  const ids = clients.map(({ id }) => id);
  const meant = closest(word, ids);
  throw new PincerError('USAGE', `Pincer does not know a client "${word}".`, {
    hint: meant === undefined ? `It is one of ${ids.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

export const placeHere = (): Place => ({
  platform: process.platform,
  home: homedir(),
  cwd: process.cwd(),
  env: process.env,
});

/** The port that a hub of ours would take, and that of the one that runs. */
export function ownPorts(home: string, env: Environment): number[] {
  const running = findHub(home)?.endpoints.mcp;
  return [chosenPort(home, env), ...(running === undefined ? [] : [Number(new URL(running).port)])];
}

/** A configuration that is broken names no port; whoever wants to use it hears of that elsewhere. */
function chosenPort(home: string, env: Environment): number {
  try {
    return choosePort(env, portIn(readConfigFile(configPath(home)))).port;
  } catch {
    return choosePort({}, undefined).port;
  }
}

/** Whether an entry is Pincer itself: to import that would be a circle. */
const OWN_PROGRAM = /(?:^|[\\/])pincer(?:@[^\\/]*)?(?:\.(?:js|cmd|exe|ps1))?$/i;
const OPENCLAW = /(?:^|[\\/])openclaw(?:@[^\\/]*)?(?:\.(?:mjs|js|cmd|exe|ps1))?$/i;
const OWN_COMMANDS: ReadonlySet<string> = new Set(['stdio', 'mcp-server', 'proxy-stdio']);

export interface Self {
  /** Those that a hub of ours listens on, or would. */
  readonly ports: readonly number[];
  /** The script that is running now. */
  readonly entry: string;
}

/** How the plugin for OpenClaw marks the entries that it keeps there. */
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
  // A program may stand between: mcp-remote takes the URL as a word.
  return isOurs || [...words, ...(url === undefined ? [] : [url])].some((word) => isOwnUrl(word, ports));
}

function isOwnUrl(text: string, ports: readonly number[]): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:' || !isLoopbackHost(url.hostname)) return false;
  return ports.includes(Number(url.port || 80)) && /^\/(?:mcp(?:\/.*)?)?$/.test(url.pathname);
}

/** Some clients keep much else in theirs. */
const MAX_CLIENT_FILE_BYTES = 32 * 1024 * 1024;

/** Undefined where there is none. */
export function readClientFile(file: string, maxBytes = MAX_CLIENT_FILE_BYTES): string | undefined {
  let open: number | undefined;
  try {
    // A pipe would otherwise wait for somebody who writes.
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
    hint: 'Check that the file belongs to you.',
    cause,
  });
