/** OpenClaw: `mcp.servers` in openclaw.json. */
import { isRecord, valueAt } from '../../lib/record.ts';
import { openclawLike } from './dialect.ts';
import { commonDraft, filterOf, namesOf, timeoutsOf } from './draft.ts';
import { readEntries, type Entry, type EntryReader, type Raw } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader, ServerDraft } from './types.ts';

export const readOpenclaw: Reader = (input) =>
  readEntries(valueAt(parseJson(input.text, input.file), ['mcp', 'servers']), input, readEntry);

const readEntry: EntryReader = (entry) => {
  const { raw } = entry;
  const draft = commonDraft(entry, openclawLike, { auth: undefined });
  if (typeof draft === 'string') return draft;
  for (const setting of ['sslVerify', 'clientCert', 'clientKey'])
    if (raw[setting] !== undefined) entry.note(`${setting} was left out: Pincer has no such setting.`);
  const toolFilter = filterOf(
    valueAt(raw, ['toolFilter', 'include']),
    valueAt(raw, ['toolFilter', 'exclude']),
  );
  const auth = authOf(raw);
  return {
    draft: {
      ...withReferences(draft, entry),
      ...timeoutsOf(raw, {
        connect: [['connectionTimeoutMs', 1]],
        request: [['requestTimeoutMs', 1]],
      }),
      ...(toolFilter && { toolFilter }),
      ...(auth && { auth }),
    },
    signsIn: raw['auth'] === 'oauth' || isRecord(raw['oauth']),
  };
};

/** Translates values such as `{ source, provider, id }`, which describe where the text is. */
function withReferences(draft: ServerDraft, entry: Entry): ServerDraft {
  const [headers, env] = (['headers', 'env'] as const).map((group) => {
    const values = isRecord(entry.raw[group]) ? entry.raw[group] : {};
    const references = Object.entries(values)
      .filter(([, value]) => isRecord(value))
      .map(([key, value]) => [key, translateReference(key, value as Raw, entry)] as const);
    return references.length === 0 ? undefined : Object.fromEntries(references);
  });
  return {
    ...draft,
    ...(headers && draft.url !== undefined && { headers: { ...draft.headers, ...headers } }),
    ...(env && draft.command !== undefined && { env: { ...draft.env, ...env } }),
  };
}

function translateReference(key: string, { source, id }: Raw, entry: Entry): string {
  if (source === 'env' && typeof id === 'string') return entry.variable(id);
  return entry.secret(key, `the value that OpenClaw reads from its ${String(source)} "${String(id)}"`);
}

function authOf({ oauth }: Raw): ServerDraft['auth'] {
  const scope = valueAt(oauth, ['scope']);
  const scopes = namesOf(typeof scope === 'string' ? scope.split(/\s+/) : undefined);
  return scopes && { scopes };
}
