/** Cursor: `mcpServers` in ~/.cursor/mcp.json and in a project's .cursor/mcp.json. */
import { isRecord, valueAt } from '../../lib/record.ts';
import { editorLike } from './dialect.ts';
import { commonDraft, namesOf } from './draft.ts';
import { readEntries, type Entry, type EntryReader } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader, ServerDraft } from './types.ts';

const translate = editorLike();

export const readCursor: Reader = (input) =>
  readEntries(valueAt(parseJson(input.text, input.file), ['mcpServers']), input, readEntry);

const readEntry: EntryReader = (entry) => {
  const draft = commonDraft(entry, translate);
  if (typeof draft === 'string') return draft;
  return { draft: { ...draft, ...authOf(entry) }, signsIn: isRecord(entry.raw['auth']) };
};

/** A pre-registered OAuth client. */
function authOf(entry: Entry): Pick<ServerDraft, 'auth'> {
  const { auth } = entry.raw;
  if (!isRecord(auth)) return {};
  const { CLIENT_ID: id, CLIENT_SECRET: secret } = auth;
  const scopes = namesOf(auth['scopes']);
  return {
    auth: {
      ...(typeof id === 'string' && id !== '' && { clientId: translate(id, entry) }),
      ...(typeof secret === 'string' && secret !== '' && { clientSecret: translate(secret, entry) }),
      ...(scopes && { scopes }),
    },
  };
}
