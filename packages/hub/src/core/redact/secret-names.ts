/** Parts of secret names, without punctuation. */
const SECRET_WORDS = [
  'authorization',
  'token',
  'apikey',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'cookie',
  'credential',
  'privatekey',
  'accesskey',
  'authkey',
  'signingkey',
  'encryptionkey',
  'masterkey',
  'sessionid',
  'sessionkey',
  'connectionstring',
];
/** Too short to search for inside other words: a name equals one of these or ends with it as a separate word. */
const SECRET_ENDS = [
  'auth',
  'basicauth',
  'bearer',
  'jwt',
  'oauth',
  'otp',
  'pass',
  'pin',
  'pwd',
  'sid',
  'totp',
];
const LAST_WORD = new RegExp(`(?:^|[^a-z0-9])(?:${SECRET_ENDS.join('|')})[^a-z0-9]*$`, 'i');
const LAST_HUMP = new RegExp(
  `[a-z0-9](?:${SECRET_ENDS.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('|')})[^A-Za-z0-9]*$`,
);

/** Whether values under this name are secret: `apiKey`, `X-API-Key`, `--db-password`, `DB_PASS` … */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return LAST_WORD.test(name) || LAST_HUMP.test(name) || SECRET_WORDS.some((word) => plain.includes(word));
}

/** `max_tokens` and similar names are counts. */
export const isCountName = (name: string): boolean => /tokens$/i.test(name);
