/** What a token is confined to, before it is made: a name that nothing can have would make it worthless, unsaid. */
import type { Scopes } from '../../core/caller.ts';
import { isPrefix } from '../../core/catalog/tool-name.ts';
import { PincerError } from '../../core/errors.ts';
import { visible } from '../../core/visible.ts';

/** Throws where no server and no tool can ever be meant. */
export function assertScopes({ servers = [], tools = [] }: Scopes): void {
  for (const server of servers)
    if (server === '' || !isPrefix(server))
      throw misuse(
        `--server takes the name of a server, and "${visible(server)}" is none.`,
        server.includes('.') ? `For one tool: --tool ${server}` : '`pincer list` shows their names.',
      );
  for (const tool of tools)
    if (!tool.includes('.') && !tool.endsWith('*'))
      throw misuse(
        `--tool takes SERVER.TOOL, and "${visible(tool)}" has no dot.`,
        `All tools of a server: --server ${tool}`,
      );
}

/** Those of its scopes that nothing answers to now; it may come later. */
export function unknownScopes({ servers = [], tools = [] }: Scopes, known: readonly string[]): string[] {
  const ofTools = tools.filter((tool) => tool.includes('.')).map((tool) => tool.slice(0, tool.indexOf('.')));
  return [...new Set([...servers, ...ofTools])].filter((name) => !known.includes(name));
}

const misuse = (message: string, hint: string): PincerError => new PincerError('USAGE', message, { hint });
