/**
 * Claude Code: `mcpServers` in a project's .mcp.json, and in ~/.claude.json, which has servers for all projects and for
 * single ones.
 */
import { basename, resolve } from 'node:path';
import { isRecord, valueAt } from '../../lib/record.ts';
import { shellLike } from './dialect.ts';
import { commonDraft, namesOf } from './draft.ts';
import { joinReadings, readEntries, type EntryReader, type Raw } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader, ReaderInput, Reading, ServerDraft } from './types.ts';

export const readClaudeCode: Reader = (input) => {
  const value = parseJson(input.text, input.file);
  const raw: Raw = isRecord(value) ? value : {};
  const own = readEntries(raw['mcpServers'], input, readEntry);
  // Ignore `projects` in a project's file, which is untrusted.
  if (basename(input.file) === '.mcp.json') return own;
  // In Claude Code, servers of this project take precedence over those for all projects.
  const { here, elsewhere } = ofProjects(raw['projects'], input);
  return joinReadings([here, own, elsewhere]);
};

function ofProjects(projects: unknown, input: ReaderInput): { here: Reading; elsewhere: Reading } {
  const here: Reading[] = [];
  const elsewhere: Reading[] = [];
  for (const [folder, project] of Object.entries(isRecord(projects) ? projects : {})) {
    if (!isRecord(project)) continue;
    const off = new Set(namesOf(project['disabledMcpServers']));
    const read: EntryReader = (entry) =>
      off.has(entry.name) ? 'it is switched off there.' : readEntry(entry);
    const reading = readEntries(project['mcpServers'], input, read, folder);
    (resolve(folder) === resolve(input.cwd) ? here : elsewhere).push(reading);
  }
  return { here: joinReadings(here), elsewhere: joinReadings(elsewhere) };
}

const readEntry: EntryReader = (entry) => {
  const draft = commonDraft(entry, shellLike);
  if (typeof draft === 'string') return draft;
  const { oauth, headersHelper } = entry.raw;
  if (headersHelper !== undefined)
    entry.note('It gets headers from a program (headersHelper), which Pincer does not run.');
  return { draft: { ...draft, ...authOf(oauth) }, signsIn: isRecord(oauth) };
};

function authOf(oauth: unknown): Pick<ServerDraft, 'auth'> {
  const clientId = valueAt(oauth, ['clientId']);
  return typeof clientId === 'string' && clientId !== '' ? { auth: { clientId } } : {};
}
