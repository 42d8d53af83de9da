/** Codex: `mcp_servers` in ~/.codex/config.toml and in a project's .codex/config.toml. It has no references. */
import { isRecord, valueAt } from '../../lib/record.ts';
import { plain } from './dialect.ts';
import { commonDraft, filterOf, namesOf, stringsOf, timeoutsOf } from './draft.ts';
import { readEntries, type Entry, type EntryReader } from './entry.ts';
import { parseToml } from './parse.ts';
import type { Reader, ServerDraft } from './types.ts';

export const readCodex: Reader = (input) =>
  readEntries(valueAt(parseToml(input.text, input.file), ['mcp_servers']), input, readEntry);

const readEntry: EntryReader = (entry) => {
  const { raw } = entry;
  const draft = commonDraft(entry, plain, { headers: raw['http_headers'] });
  if (typeof draft === 'string') return draft;
  const toolFilter = filterOf(raw['enabled_tools'], raw['disabled_tools']);
  const auth = authOf(entry);
  return {
    draft: {
      ...draft,
      ...(draft.url === undefined ? forwarded(draft, entry) : fromEnvironment(draft, entry)),
      ...timeoutsOf(raw, {
        connect: [
          ['startup_timeout_sec', 1_000],
          ['startup_timeout_ms', 1],
        ],
        request: [['tool_timeout_sec', 1_000]],
      }),
      ...(toolFilter && { toolFilter }),
      ...(auth && { auth }),
    },
    signsIn: auth !== undefined,
  };
};

/** Variables that Codex passes on from its own environment. */
function forwarded({ env = {} }: ServerDraft, { raw, variable }: Entry): Pick<ServerDraft, 'env'> {
  const names = (Array.isArray(raw['env_vars']) ? (raw['env_vars'] as unknown[]) : [])
    .map((each) => (isRecord(each) ? each['name'] : each))
    .filter((name): name is string => typeof name === 'string' && name !== '');
  if (names.length === 0) return {};
  return { env: { ...Object.fromEntries(names.map((name) => [name, variable(name)])), ...env } };
}

/** Headers whose values are in variables. */
function fromEnvironment(
  { headers = {} }: ServerDraft,
  { raw, variable }: Entry,
): Pick<ServerDraft, 'apiKey' | 'headers'> {
  const token = raw['bearer_token_env_var'];
  const named = Object.entries(stringsOf(raw['env_http_headers']) ?? {});
  return {
    ...(typeof token === 'string' && token !== '' && { apiKey: variable(token) }),
    ...(named.length > 0 && {
      headers: { ...headers, ...Object.fromEntries(named.map(([key, name]) => [key, variable(name)])) },
    }),
  };
}

function authOf({ raw: { oauth, scopes } }: Entry): ServerDraft['auth'] {
  const clientId = valueAt(oauth, ['client_id']);
  const wanted = namesOf(scopes);
  if (typeof clientId !== 'string' && wanted === undefined) return undefined;
  return { ...(typeof clientId === 'string' && { clientId }), ...(wanted && { scopes: wanted }) };
}
