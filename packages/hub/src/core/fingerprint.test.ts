import { describe, expect, it } from 'vitest';
import { readFingerprint } from './fingerprint.ts';

const PLAIN = 'ab'.repeat(32);

describe('a fingerprint', () => {
  it.each([
    PLAIN,
    PLAIN.toUpperCase(),
    ` sha256:${PLAIN}\n`,
    `SHA256:${PLAIN.toUpperCase()}`,
    PLAIN.replace(/..(?!$)/g, '$&:').toUpperCase(),
  ])('normalizes %j', (text) => expect(readFingerprint(text)).toBe(PLAIN));

  it.each(['', 'sha256:', PLAIN.slice(1), `${PLAIN}ab`, `${PLAIN.slice(2)}zz`, `sha1:${PLAIN}`, `:${PLAIN}`])(
    'rejects %j',
    (text) => expect(readFingerprint(text)).toBeUndefined(),
  );
});
