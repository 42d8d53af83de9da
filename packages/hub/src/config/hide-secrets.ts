/** Secrets that somebody wrote out, by the setting that they are in. */
import { isRecord } from '../lib/record.ts';
import { isClear, isClearSecret, isSecretSetting } from './clear-secret.ts';

/** Settings below `path` that hold a secret in clear text: their paths, never the secrets. */
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

/** A setting as it may be shown. */
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

/** `--api-key`, and then the key. */
const isFlagForSecret = (word: unknown): boolean =>
  typeof word === 'string' && /^--?[\w-]+$/.test(word) && isSecretSetting(word.replace(/^-+/, ''));

/** `--token=abc`, and what a URL carries for nobody else. */
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
