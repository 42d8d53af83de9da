import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Era } from '../../flags.ts';
import { createEverything, type Everything } from '../server.ts';
import type { EverythingState } from '../state.ts';

/** One connection on stdin and stdout; the client's first message decides its era. */
export async function servePipe(state: EverythingState, era: Era | 'dual'): Promise<void> {
  const open = (of: Era): Everything => {
    const everything = createEverything(state, of);
    state.listeners.add(everything.refresh);
    return everything;
  };
  process.stdin.on('end', () => process.exit(0));
  if (era === 'legacy') await open('legacy').server.connect(new StdioServerTransport());
  else serveStdio((opening) => open(opening.era).server, { legacy: era === 'dual' ? 'serve' : 'reject' });
}
