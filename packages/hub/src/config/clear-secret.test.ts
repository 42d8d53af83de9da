import { describe, expect, it } from 'vitest';
import { isClearSecret } from './clear-secret.ts';

describe('isClearSecret', () => {
  it.each([
    ['Authorization', 'Bearer abc', true],
    ['authorization', 'Bearer $TOKEN', false],
    ['Authorization', 'Bearer ${TOKEN}', false],
    ['Authorization', '$secret:github', false],
    ['Authorization', 'Bearer $$notAReference', true],
    ['Authorization', '', true],
    ['X-Api-Key', 'abc', true],
    ['GITHUB_TOKEN', 'abc', true],
    ['apiKey', 'abc', true],
    ['SSH_PASSPHRASE', 'abc', true],
    ['AWS_ACCESS_KEY_ID', 'abc', true],
    ['reset_password', 'ask', false],
    ['X-Workspace', 'abc', false],
    ['KEYBOARD', 'de', false],
  ])('%s: %s → %s', (name, value, isSecret) => expect(isClearSecret(name, value)).toBe(isSecret));
});
