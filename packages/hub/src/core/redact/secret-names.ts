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
  'signingkey',
  'encryptionkey',
  'masterkey',
  'sessionid',
  'connectionstring',
];
/** Too short to be looked for inside of other words. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
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
]);

/** Whether what is kept under this name is nobody's business: `apiKey`, `X-API-Key`, `--db-password` … */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return SECRET_NAMES.has(plain) || SECRET_WORDS.some((word) => plain.includes(word));
}

/** `max_tokens` and its like count something. */
export const isCountName = (name: string): boolean => /tokens$/i.test(name);
