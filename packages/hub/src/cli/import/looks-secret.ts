/** Whether a text is a secret, by what it is called or by the look of it. */
import { isClear, isSecretSetting } from '../../config/clear-secret.ts';
import { hideSecrets } from '../../core/redact/redact-secrets.ts';

/** How services begin their keys and tokens, besides those that every log hides. */
const KNOWN =
  /^(?:tvly-|ctx7sk|pypi-|figd_|ntn_|secret_|lin_api_|sq0|dckr_pat_|fc-|pplx-|gsk_|r8_|[spr]k[-_]|gh[oprsu]_)\S{8,}$/;

/** A number, a switch or nothing is no secret, even in a setting such as MAX_TOKENS. */
const isTrivial = (text: string): boolean => /^(?:[\d.]*|true|false|yes|no|null|none)$/i.test(text);

export const isSecret = (key: string, text: string): boolean =>
  !isTrivial(text) && isClear(text) && (isSecretSetting(key) || KNOWN.test(text));

/** What a log would hide. References are none. */
export function hidesSecret(text: string): boolean {
  const plain = text.replaceAll(/\$\{[\w:]+\}|\$secret:\w+/g, '');
  return hideSecrets(plain) !== plain;
}

/** Part of a URL, such as the personal address that some services give out. */
export const looksPersonal = (part: string): boolean =>
  isClear(part) && (KNOWN.test(part) || /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/.test(part));
