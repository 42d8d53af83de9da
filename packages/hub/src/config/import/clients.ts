/** The clients whose servers can be imported, in the order in which they win. */
import { basename } from 'node:path';
import { isRecord } from '../../lib/record.ts';
import { readClaudeCode } from './claude-code.ts';
import { readClaudeDesktop } from './claude-desktop.ts';
import { readCodex } from './codex.ts';
import { readCursor } from './cursor.ts';
import { readMcporter } from './mcporter.ts';
import { readOpenclaw } from './openclaw.ts';
import { parseJson } from './parse.ts';
import type { ClientId, Reader } from './types.ts';
import { readVscode } from './vscode.ts';
import { readWindsurf } from './windsurf.ts';

export interface ImportClient {
  readonly id: ClientId;
  readonly title: string;
  readonly read: Reader;
}

export const IMPORT_CLIENTS: readonly ImportClient[] = [
  { id: 'openclaw', title: 'OpenClaw', read: readOpenclaw },
  { id: 'claude-code', title: 'Claude Code', read: readClaudeCode },
  { id: 'claude-desktop', title: 'Claude Desktop', read: readClaudeDesktop },
  { id: 'cursor', title: 'Cursor', read: readCursor },
  { id: 'vscode', title: 'VS Code', read: readVscode },
  { id: 'codex', title: 'Codex', read: readCodex },
  { id: 'windsurf', title: 'Windsurf', read: readWindsurf },
  { id: 'mcporter', title: 'mcporter', read: readMcporter },
];

/** Files whose name or folder says whose they are. */
const NAMES: readonly (readonly [RegExp, ClientId])[] = [
  [/\.toml$/i, 'codex'],
  [/claude_desktop_config\.json$/i, 'claude-desktop'],
  [/openclaw\.json5?$/i, 'openclaw'],
  [/mcporter\.jsonc?$/i, 'mcporter'],
  [/mcp_config\.json$/i, 'windsurf'],
  [/[\\/]\.cursor[\\/]mcp\.json$/i, 'cursor'],
  [/[\\/]\.vscode[\\/]mcp\.json$/i, 'vscode'],
  [/\.claude\.json$|\.mcp\.json$/i, 'claude-code'],
];

/** Whose file this is: by its name, else by what is in it. */
export function guessClient(file: string, text: string): ClientId {
  const named = NAMES.find(([pattern]) => pattern.test(file) || pattern.test(basename(file)));
  if (named !== undefined) return named[1];
  const value = parseJson(text, file);
  if (isRecord(value) && isRecord(value['servers'])) return 'vscode';
  if (isRecord(value) && isRecord(value['mcp'])) return 'openclaw';
  return 'claude-code';
}
