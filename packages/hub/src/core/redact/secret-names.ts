/** Names under which secrets are kept. */

/** In a name without its punctuation. */
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
/** Too short to be looked for inside of other words: a name is one of these, or ends with it as a word of its own. */
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

/** Whether what is kept under this name is nobody's business: `apiKey`, `X-API-Key`, `--db-password`, `DB_PASS` … */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return LAST_WORD.test(name) || LAST_HUMP.test(name) || SECRET_WORDS.some((word) => plain.includes(word));
}

/** `max_tokens` and its like count something. */
export const isCountName = (name: string): boolean => /tokens$/i.test(name);
