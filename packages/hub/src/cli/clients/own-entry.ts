/** Whether an entry is Pincer itself: to import that would be a circle. */
import { isLoopbackHost } from '../../lib/loopback.ts';
import type { ServerDraft } from '../../config/import/types.ts';

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
