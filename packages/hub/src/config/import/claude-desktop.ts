/** Claude Desktop: `mcpServers` in claude_desktop_config.json. It supports only commands, and no references. */
import { valueAt } from '../../lib/record.ts';
import { plain } from './dialect.ts';
import { commonDraft } from './draft.ts';
import { readEntries, type EntryReader } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader } from './types.ts';

export const readClaudeDesktop: Reader = (input) =>
  readEntries(valueAt(parseJson(input.text, input.file), ['mcpServers']), input, readEntry);

const readEntry: EntryReader = (entry) => {
  const draft = commonDraft(entry, plain);
  return typeof draft === 'string' ? draft : { draft };
};
