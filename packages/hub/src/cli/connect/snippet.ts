/** What a person pastes: a command of the client, or the lines for its file. */
import { shellWord } from '../../lib/text.ts';
import { TOKEN_VARIABLE, type ConnectClient } from './clients.ts';
import { editClientFile } from './edit-file.ts';
import type { ConnectFacts, Mode } from './facts.ts';

export interface Snippet {
  /** Of the client's own; undefined where it has none for this. */
  readonly command: string | undefined;
  /** For its file. */
  readonly lines: string;
  /** Whether the variable PINCER_TOKEN has to be set where the client is started: for the command, for the lines. */
  readonly variable: { readonly command: boolean; readonly lines: boolean };
}

/** `shown` is the token itself, for those who want to see it. */
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

/** As they would stand in a file of their own. */
function linesOf(client: ConnectClient, mode: Mode, name: string, entry: object): string {
  return editClientFile('', '', client, { name, entry, extra: client.extra?.(mode) });
}
