/** VS Code: `servers` and `inputs` in mcp.json, in the person's profile or in a project's .vscode. */
import { isRecord } from '../../lib/record.ts';
import { editorLike } from './dialect.ts';
import { commonDraft } from './draft.ts';
import { literal, readEntries, type Entry, type EntryReader } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader } from './types.ts';

export const readVscode: Reader = (input) => {
  const value = parseJson(input.text, input.file);
  const { servers, inputs } = isRecord(value) ? value : {};
  const translate = editorLike((id, entry) => translateInput(id, inputs, entry));
  const readEntry: EntryReader = (entry) => {
    const draft = commonDraft(entry, translate);
    if (typeof draft === 'string') return draft;
    if (entry.raw['sandboxEnabled'] === true)
      entry.note(
        'VS Code runs it in a sandbox, but Pincer does not: it can read and write everything that you can.',
      );
    return { draft, signsIn: isRecord(entry.raw['oauth']) };
  };
  return readEntries(servers, input, readEntry);
};

/** VS Code asks for an input when it starts the server and stores it encrypted, so the value cannot be imported. */
function translateInput(id: string, inputs: unknown, entry: Entry): string {
  const list: unknown[] = Array.isArray(inputs) ? inputs : [];
  const asked = list.filter(isRecord).find((each) => each['id'] === id) ?? {};
  const { password, default: usual, description } = asked;
  if (password !== true && typeof usual === 'string' && usual !== '') {
    entry.note(`VS Code asks for "${id}"; its default was used.`);
    return literal(usual);
  }
  const what = typeof description === 'string' && description !== '' ? description : id;
  return entry.secret(id, `the value that VS Code asks for as "${what}"`);
}
