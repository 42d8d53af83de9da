/** Windsurf: `mcpServers` in mcp_config.json, with `serverUrl` for HTTP servers. */
import { valueAt } from '../../lib/record.ts';
import { windsurfLike } from './dialect.ts';
import { commonDraft, filterOf } from './draft.ts';
import { readEntries, type EntryReader } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader } from './types.ts';

export const readWindsurf: Reader = (input) =>
  readEntries(valueAt(parseJson(input.text, input.file), ['mcpServers']), input, readEntry);

const readEntry: EntryReader = (entry) => {
  const { serverUrl, url, disabledTools } = entry.raw;
  const draft = commonDraft(entry, windsurfLike, { url: serverUrl ?? url });
  if (typeof draft === 'string') return draft;
  const toolFilter = filterOf(undefined, disabledTools);
  return { draft: { ...draft, ...(toolFilter && { toolFilter }) } };
};
