/** Finds secrets in settings, hides them in output, and names them for the vault. */
import { isSecretName } from '../core/redact/secret-names.ts';
import { isRecord } from '../lib/record.ts';

/** A setting named `key` contains a secret. In the arguments of a call it usually does not. */
const KEY = /^key$|[-_]key$/i;

export const isSecretSetting = (name: string): boolean => isSecretName(name) || KEY.test(name);

/** True if the text has no reference: `$NAME`, `${NAME}` or `$secret:NAME`. `$$` is a literal dollar sign. */
export const isClear = (text: string): boolean => !/(?:^|[^$])(?:\$\$)*\$(?:\w|\{)/.test(text);

/** A policy decision is not a secret, even for a tool named `reset_password`. */
const DECISION = /^(?:allow|ask|deny)$/;

/** True for a secret in clear text, which belongs neither on a command line nor in a file. */
export const isClearSecret = (name: string, value: string): boolean =>
  isSecretSetting(name) && isClear(value) && !DECISION.test(value);

/** Returns the paths of settings below `path` that contain a secret in clear text, never the secrets. */
export function clearSecretsIn(value: unknown, path: readonly string[]): string[] {
  if (typeof value === 'string') return isClearSecret(path.at(-1)!, value) ? [path.join('.')] : [];
  if (Array.isArray(value))
    return value.flatMap((item, index) =>
      isFlagForSecret(value[index - 1]) && typeof item === 'string' && isClear(item)
        ? [`${path.join('.')}[${index}]`]
        : [],
    );
  return isRecord(value)
    ? Object.entries(value).flatMap(([key, item]) => clearSecretsIn(item, [...path, key]))
    : [];
}

const HIDDEN = '(hidden)';

/** Returns a setting with its secrets hidden. */
export function hideClearSecrets(value: unknown, key: string): unknown {
  if (typeof value === 'string') return isClearSecret(key, value) ? HIDDEN : hideInText(value);
  if (Array.isArray(value))
    return value.map((item: unknown, index) =>
      isFlagForSecret(value[index - 1]) && typeof item === 'string' && isClear(item)
        ? HIDDEN
        : hideClearSecrets(item, ''),
    );
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, hideClearSecrets(item, name)]),
  );
}

/** A flag such as `--api-key`, which is followed by the secret. */
const isFlagForSecret = (word: unknown): boolean =>
  typeof word === 'string' && /^--?[\w-]+$/.test(word) && isSecretSetting(word.replace(/^-+/, ''));

/** Hides the value of `--token=abc`, and the user and query values of a URL. */
const hideInText = (text: string): string =>
  text
    .replace(/^(--?([\w-]+)=)(.+)$/s, (all, flag: string, name: string, value: string) =>
      isClearSecret(name, value) ? flag + HIDDEN : all,
    )
    .replace(/^(https?:\/\/)[^/?#@]*@/, `$1${HIDDEN}@`)
    .replace(
      /^(https?:\/\/[^?#]*)\?([^#]*)/,
      (_all, before: string, query: string) => `${before}?${hideQuery(query)}`,
    );

const hideQuery = (query: string): string =>
  query
    .split('&')
    .map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      return value === '' || !isClear(value) ? pair : `${name}=${HIDDEN}`;
    })
    .join('&');

/** Returns a server's URL or command for output, with unresolved references and without possible secrets. */
export function shownTarget({ url, command, args }: Readonly<Record<string, unknown>>): string {
  if (typeof command === 'string') {
    const words = hideClearSecrets(Array.isArray(args) ? args : [], 'args') as unknown[];
    return [command, ...words].map(String).join(' ');
  }
  return typeof url === 'string' ? url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//') : '';
}

/** As in owner/vault.ts. */
const MAX_SECRET_NAME = 64;

/** Returns `GITHUB_API_KEY` for `github` and `api-key`. A key that begins with the server's name stays as it is. */
export function secretNameOf(server: string, key: string): string {
  const [ofServer, ofKey] = [capitals(server), capitals(key)];
  const isNamed = ofServer === '' || `${ofKey}_`.startsWith(`${ofServer}_`);
  const joined = isNamed ? ofKey : `${ofServer}_${ofKey}`;
  return joined.slice(0, MAX_SECRET_NAME).replace(/_+$/, '') || 'SECRET';
}

/**
 * Returns `DOCS_API_KEY` for `servers.docs.apiKey`. A variable keeps its name: `GITHUB_TOKEN`. A setting outside of servers
 * is named after its whole path: `PROXY_APP_TOKEN`.
 */
export function secretNameFor(setting: string): string {
  const [group, server = '', ...key] = setting.replaceAll(/\[\d+\]/g, '').split('.');
  if (group !== 'servers') return capitals(setting);
  return key[0] === 'env' ? key.slice(1).map(capitals).join('_') : secretNameOf(server, key.at(-1)!);
}

const capitals = (text: string): string =>
  text
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
