/** mcporter: `mcpServers` in mcporter.json. Each setting may be written in camel case or snake case. */
import { dirname } from 'node:path';
import { isRecord, valueAt } from '../../lib/record.ts';
import { mcporterLike } from './dialect.ts';
import { commonDraft, filterOf } from './draft.ts';
import { readEntries, type Entry, type EntryReader, type Raw } from './entry.ts';
import { parseJson } from './parse.ts';
import type { Reader, ServerDraft } from './types.ts';

export const readMcporter: Reader = (input) => {
  const servers = valueAt(parseJson(input.text, input.file), ['mcpServers']);
  // A project's file is in its folder config/, and relative paths start there.
  const folder = input.project === undefined ? undefined : dirname(input.file);
  return readEntries(servers, input, readEntry, folder);
};

const readEntry: EntryReader = (entry) => {
  const { raw } = entry;
  const url = either(raw, 'baseUrl', 'base_url') ?? raw['url'] ?? either(raw, 'serverUrl', 'server_url');
  const headers = { ...(isRecord(raw['headers']) ? raw['headers'] : {}), ...bearerOf(raw) };
  const draft = commonDraft(entry, mcporterLike, {
    url,
    headers,
    // A URL takes precedence over a command.
    ...(url === undefined ? commandOf(raw) : { command: undefined }),
  });
  if (typeof draft === 'string') return draft;
  const toolFilter = filterOf(
    either(raw, 'allowedTools', 'allowed_tools'),
    either(raw, 'blockedTools', 'blocked_tools'),
  );
  const auth = authOf(entry);
  return {
    draft: { ...draft, ...(toolFilter && { toolFilter }), ...(auth && { auth }) },
    signsIn: raw['auth'] === 'oauth' || auth !== undefined,
  };
};

/** Reads one word, a list of words, or a shell-like line. */
function commandOf(raw: Raw): Raw {
  const { args } = raw;
  const command = raw['command'] ?? raw['executable'];
  if (Array.isArray(command)) return { command: command[0] as unknown, args: command.slice(1) };
  if (typeof command !== 'string' || (Array.isArray(args) && args.length > 0)) return { command };
  const [program, ...words] = splitWords(command);
  return { command: program, args: words };
}

function bearerOf(raw: Raw): Raw {
  const token = either(raw, 'bearerToken', 'bearer_token');
  const variable = either(raw, 'bearerTokenEnv', 'bearer_token_env');
  // mcporter sends the variable unchanged, so its value already contains "Bearer".
  if (typeof variable === 'string' && variable !== '') return { Authorization: `$env:${variable}` };
  return typeof token === 'string' && token !== '' ? { Authorization: `Bearer ${token}` } : {};
}

function authOf(entry: Entry): ServerDraft['auth'] {
  const { raw } = entry;
  const clientId = either(raw, 'oauthClientId', 'oauth_client_id');
  const secret = either(raw, 'oauthClientSecret', 'oauth_client_secret');
  const variable = either(raw, 'oauthClientSecretEnv', 'oauth_client_secret_env');
  const scope = either(raw, 'oauthScope', 'oauth_scope');
  const clientSecret =
    typeof variable === 'string'
      ? entry.variable(variable)
      : typeof secret === 'string'
        ? mcporterLike(secret, entry)
        : undefined;
  const auth = {
    ...(typeof clientId === 'string' && { clientId: mcporterLike(clientId, entry) }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(typeof scope === 'string' && scope !== '' && { scopes: scope.split(/\s+/) }),
  };
  return Object.keys(auth).length === 0 ? undefined : auth;
}

const either = (raw: Raw, camel: string, snake: string): unknown => raw[camel] ?? raw[snake];

/** Splits a command line at spaces, respecting quotes and backslashes. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (char === '\\' && quote !== "'" && at + 1 < line.length) word = (word ?? '') + line[++at]!;
    else if (char === quote) quote = undefined;
    else if (quote === undefined && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  return word === undefined ? words : [...words, word];
}
