/** Text for a person to paste: a command of the client, or lines for its file. */
import { shellWord } from '../../lib/text.ts';
import { TOKEN_VARIABLE, type ConnectClient } from './clients.ts';
import { editClientFile } from './edit-file.ts';
import type { ConnectFacts, Mode } from './facts.ts';

export interface Snippet {
  /** The client's own command; undefined if it has none. */
  readonly command: string | undefined;
  /** For its file. */
  readonly lines: string;
  /** Whether the command, and whether the lines, need the variable PINCER_TOKEN in the client's environment. */
  readonly variable: { readonly command: boolean; readonly lines: boolean };
}

/** `shown`: the token, if the person asked to see it. */
export function snippetOf(client: ConnectClient, mode: Mode, facts: ConnectFacts, shown?: string): Snippet {
  const { tokenReference: reference = '<the token>' } = client;
  const isHttp = mode === 'http';
  const command = client.command?.(mode, facts, shown ?? `$(cat ${shellWord(facts.tokenFile)})`);
  const entry = client.entry(mode, facts, shown ?? reference);
  const isVariable = (text: string): boolean => isHttp && text.includes(TOKEN_VARIABLE);
  const lines = linesOf(client, mode, facts.name, entry);
  return {
    command,
    lines,
    variable: { command: command !== undefined && isVariable(command), lines: isVariable(lines) },
  };
}

/** The lines of a file that contains only this entry. */
function linesOf(client: ConnectClient, mode: Mode, name: string, entry: object): string {
  return editClientFile('', '', client, { name, entry, extra: client.extra?.(mode) });
}
