/** The clients whose servers can be imported, in order of precedence. */
import { isRecord } from '../../lib/record.ts';
import { readClaudeCode } from './claude-code.ts';
import { readClaudeDesktop } from './claude-desktop.ts';
import { readCodex } from './codex.ts';
import { readCursor } from './cursor.ts';
import { readMcporter } from './mcporter.ts';
import { readOpenclaw } from './openclaw.ts';
import type { ClientId } from './locations.ts';
import { parseJson } from './parse.ts';
import type { Reader } from './types.ts';
import { readVscode } from './vscode.ts';
import { readWindsurf } from './windsurf.ts';

export interface ImportClient {
  readonly id: ClientId;
  readonly title: string;
  readonly read: Reader;
  /** Matches the paths of the client's files. */
  readonly named: RegExp;
}

export const IMPORT_CLIENTS: readonly ImportClient[] = [
  { id: 'openclaw', title: 'OpenClaw', read: readOpenclaw, named: /openclaw\.json5?$/i },
  { id: 'claude-code', title: 'Claude Code', read: readClaudeCode, named: /\.claude\.json$|\.mcp\.json$/i },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    read: readClaudeDesktop,
    named: /claude_desktop_config\.json$/i,
  },
  { id: 'cursor', title: 'Cursor', read: readCursor, named: /[\\/]\.cursor[\\/]mcp\.json$/i },
  { id: 'vscode', title: 'VS Code', read: readVscode, named: /[\\/]\.vscode[\\/]mcp\.json$/i },
  { id: 'codex', title: 'Codex', read: readCodex, named: /\.toml$/i },
  { id: 'windsurf', title: 'Windsurf', read: readWindsurf, named: /mcp_config\.json$/i },
  { id: 'mcporter', title: 'mcporter', read: readMcporter, named: /mcporter\.jsonc?$/i },
];

/** Guesses the client from the name of the file, or else from its content. */
export function guessClient(file: string, text: string): ClientId {
  const client = IMPORT_CLIENTS.find(({ named }) => named.test(file));
  if (client !== undefined) return client.id;
  const value = parseJson(text, file);
  if (isRecord(value) && isRecord(value['servers'])) return 'vscode';
  if (isRecord(value) && isRecord(value['mcp'])) return 'openclaw';
  return 'claude-code';
}
