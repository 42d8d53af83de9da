/** VS Code: `servers` and `inputs` of mcp.json, in the person's profile or in .vscode of a project. */
import { isRecord } from '../../lib/record.ts';
import { editorLike } from './dialect.ts';
import { commonDraft } from './draft.ts';
import { literal, readEntries, type Entry, type EntryReader } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader } from './types.ts';

export const readVscode: Reader = (input) => {
  const value = parseJson(input.text, input.file);
  const { servers, inputs } = isRecord(value) ? value : {};
  const say = editorLike((id, entry) => sayInput(id, inputs, entry));
  const readEntry: EntryReader = (entry) => {
    const draft = commonDraft(entry, say);
    if (typeof draft === 'string') return draft;
    if (entry.raw['sandboxEnabled'] === true)
      entry.note('VS Code runs it in a sandbox, Pincer does not: it may read and write what you may.');
    return { draft, signsIn: isRecord(entry.raw['oauth']) };
  };
  return readEntries(servers, input, readEntry);
};

/** What VS Code asks for when it starts the server, and then keeps where nobody else can read it. */
function sayInput(id: string, inputs: unknown, entry: Entry): string {
  const list: unknown[] = Array.isArray(inputs) ? inputs : [];
  const asked = list.filter(isRecord).find((each) => each['id'] === id) ?? {};
  const { password, default: usual, description } = asked;
  if (password !== true && typeof usual === 'string' && usual !== '') {
    entry.note(`VS Code asks for "${id}"; the default was taken.`);
    return literal(usual);
  }
  const what = typeof description === 'string' && description !== '' ? description : id;
  return entry.secret(id, `what VS Code asks for as "${what}"`);
}
