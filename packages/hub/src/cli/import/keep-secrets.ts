/** Replaces each clear-text secret of an imported server by a reference; the secret itself goes into the vault. */
import { isClear, isSecretSetting, secretNameOf } from '../../config/secrets.ts';
import type { ServerDraft } from '../../config/import/types.ts';
import { referencesIn } from '../../config/references.ts';
import { hideSecrets } from '../../core/redact/redact-secrets.ts';

export interface KeptSecret {
  readonly secret: string;
  readonly value: string;
  /** The setting that contained it. */
  readonly path: string;
}

/** Returns a name for the secret: a different one than `wanted` if the vault has another value under that name. */
export type NameSecret = (wanted: string, value: string) => string;

export interface WithoutSecrets {
  readonly draft: ServerDraft;
  readonly kept: readonly KeptSecret[];
}

export function keepSecrets(server: string, draft: ServerDraft, nameSecret: NameSecret): WithoutSecrets {
  const kept: KeptSecret[] = [];
  /** In `text` each dollar sign is doubled, as in config.json. */
  function keep(key: string, text: string, path: string): string {
    const value = text.replaceAll('$$', '$');
    const earlier = kept.find((each) => each.value === value);
    const secret = earlier?.secret ?? nameSecret(secretNameOf(server, key), value);
    kept.push({ secret, value, path });
    return `\${secret:${secret}}`;
  }
  const keepIn = (
    group: 'env' | 'headers',
    values: Readonly<Record<string, string>>,
  ): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([key, text]) => {
        const path = `${group}.${key}`;
        return [key, isSecret(key, text) ? keep(key, text, path) : keepInText(key, text, { keep, path })];
      }),
    );

  const { apiKey, headers, env, args, url, auth } = withApiKey(draft);
  const clientSecret = auth?.clientSecret;
  const without: ServerDraft = {
    ...withApiKey(draft),
    ...(url !== undefined && { url: keepInUrl(url, keep) }),
    ...(args !== undefined && { args: keepInArgs(args, keep) }),
    ...(env !== undefined && { env: keepIn('env', env) }),
    ...(apiKey !== undefined && isClear(apiKey) && { apiKey: keep('token', apiKey, 'apiKey') }),
    ...(headers !== undefined && { headers: keepIn('headers', headers) }),
    ...(clientSecret !== undefined &&
      isClear(clientSecret) && {
        auth: { ...auth, clientSecret: keep('client_secret', clientSecret, 'auth.clientSecret') },
      }),
  };
  const used = new Set(referencesIn(without).map(({ name }) => name));
  return { draft: without, kept: kept.filter(({ secret }) => used.has(secret)) };
}

type Keep = (key: string, text: string, path: string) => string;

/** Turns a header `Authorization: Bearer …` into `apiKey`. */
function withApiKey(draft: ServerDraft): ServerDraft {
  const { headers, ...rest } = draft;
  const entry = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === 'authorization');
  const token = entry === undefined ? undefined : /^Bearer +(\S.*)$/i.exec(entry[1])?.[1];
  if (token === undefined || draft.apiKey !== undefined) return draft;
  const others = Object.entries(headers!).filter(([key]) => key !== entry![0]);
  return { ...rest, apiKey: token, ...(others.length > 0 && { headers: Object.fromEntries(others) }) };
}

/** Finds `--api-key VALUE`, `--api-key=VALUE`, `--header "X-Key: VALUE"`, and words that look like keys. */
function keepInArgs(args: readonly string[], keep: Keep): string[] {
  return args.map((word, index) => {
    const path = `args[${index}]`;
    const pair = /^(--?[\w-]+|[A-Za-z][\w-]*)([=:] *)(\S.*)$/s.exec(word);
    if (pair !== null && !word.includes('://')) {
      const [, key, sign, value] = pair as unknown as [string, string, string, string];
      const scheme = /^(?:Bearer|Basic|Token) +/i.exec(value)?.[0] ?? '';
      const bare = value.slice(scheme.length);
      return isSecret(key, bare) ? key + sign + scheme + keep(key, bare, path) : word;
    }
    const flag = index > 0 && /^--?[A-Za-z]/.test(args[index - 1]!) ? args[index - 1]! : '';
    const called = isSecret(flag, 'x') ? flag : 'key';
    if (!word.startsWith('-') && isSecret(flag, word)) return keep(called, word, path);
    return keepInText(called, word, { keep, path });
  });
}

/** Replaces the secret parts of a URL; a text that still looks like a secret is replaced as a whole. */
function keepInText(key: string, text: string, { keep, path }: { keep: Keep; path: string }): string {
  const kept = keepInUrl(text, keep, path);
  return hidesSecret(kept) && isClear(text) ? keep(key, text, path) : kept;
}

/** Replaces passwords, parameters with a secret's name, and path segments that look like personal keys. */
function keepInUrl(text: string, keep: Keep, path = 'url'): string {
  const parts = splitUrl(text);
  if (parts === undefined) return text;
  const { origin, user, password, segments, query } = parts;
  const account =
    password === undefined
      ? user
      : `${user ?? ''}:${isClear(password) ? keep('password', password, path) : password}`;
  const way = segments.map((segment) => (looksPersonal(segment) ? keep('url_key', segment, path) : segment));
  const parameters = query.map(([key, value]) => {
    if (value === undefined) return key;
    return `${key}=${isSecret(key, value) || looksPersonal(value) ? keep(key, value, path) : value}`;
  });
  const search = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `${origin[0]}${account === undefined ? '' : `${account}@`}${origin[1]}${way.join('/')}${search}${parts.hash}`;
}

/** Prefixes of keys and tokens of services, besides those that `hideSecrets` knows. */
const KNOWN =
  /^(?:tvly-|ctx7sk|pypi-|figd_|ntn_|secret_|lin_api_|sq0|dckr_pat_|fc-|pplx-|gsk_|r8_|[spr]k[-_]|gh[oprsu]_)\S{8,}$/;

/** A number, a boolean or an empty text is not a secret, even in a setting such as MAX_TOKENS. */
const isTrivial = (text: string): boolean => /^(?:[\d.]*|true|false|yes|no|null|none)$/i.test(text);

/** Whether a text is a secret, judged by its key or its form. */
const isSecret = (key: string, text: string): boolean =>
  !isTrivial(text) && isClear(text) && (isSecretSetting(key) || KNOWN.test(text));

/** Whether a log would redact the text. References are not secrets. */
function hidesSecret(text: string): boolean {
  const plain = text.replaceAll(/\$\{[\w:]+\}|\$secret:\w+/g, '');
  return hideSecrets(plain) !== plain;
}

/** Whether a part of a URL looks like a personal key, which some services put into the path. */
const looksPersonal = (part: string): boolean =>
  isClear(part) && (KNOWN.test(part) || /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/.test(part));

/** The parts of a URL, not normalised: joined, they are the same text. */
interface UrlParts {
  /** The text before and after the account: `https://` and `host:port`. */
  readonly origin: readonly [scheme: string, host: string];
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The path split at slashes; the first segment is empty. */
  readonly segments: readonly string[];
  readonly query: readonly (readonly [key: string, value: string | undefined])[];
  readonly hash: string;
}

const URL_TEXT =
  /^([a-z][a-z\d+.-]*:\/\/)(?:([^/?#@:]*)(?::([^/?#@]*))?@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/is;

/** Returns undefined if the text is not a URL. */
export function splitUrl(text: string): UrlParts | undefined {
  const match = URL_TEXT.exec(text);
  if (match === null) return undefined;
  const [, scheme = '', user, password, host = '', path = '', query, hash = ''] = match;
  return {
    origin: [scheme, host],
    user,
    password,
    segments: path.split('/'),
    query: query === undefined ? [] : query.split('&').map(splitPair),
    hash,
  };
}

function splitPair(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
