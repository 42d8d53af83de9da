/** Whether a text is a secret, by what it is called or by the look of it. */
import { isClearSecret } from '../../config/clear-secret.ts';
import { hideSecrets, isCountName, isSecretName } from '../../core/redact/redact-secrets.ts';

/** How services begin their keys and tokens, besides those that every log hides. */
const KNOWN =
  /^(?:tvly-|ctx7sk|pypi-|figd_|ntn_|secret_|lin_api_|sq0|dckr_pat_|fc-|pplx-|gsk_|r8_|[spr]k[-_]|gh[oprsu]_)\S{8,}$/;

/** A number, a switch or nothing is no secret, even in a setting such as MAX_TOKENS. */
const isTrivial = (text: string): boolean => /^(?:[\d.]*|true|false|yes|no|null|none)$/i.test(text);

/** It refers to nothing: what is there is what is meant. */
export const isClear = (text: string): boolean => isClearSecret('token', text);

export function isSecret(key: string, text: string): boolean {
  if (isTrivial(text) || !isClear(text)) return false;
  const isNamed = (isSecretName(key) && !isCountName(key)) || isClearSecret(key, text);
  return isNamed || KNOWN.test(text);
}

/** What a log would hide. References are none. */
export function hidesSecret(text: string): boolean {
  const plain = text.replaceAll(/\$\{[\w:]+\}|\$secret:\w+/g, '');
  return hideSecrets(plain) !== plain;
}

/** Part of a URL, such as the personal address that some services give out. */
export const looksPersonal = (part: string): boolean =>
  isClear(part) && (KNOWN.test(part) || /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/.test(part));
