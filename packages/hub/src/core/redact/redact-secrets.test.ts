import { describe, expect, it } from 'vitest';
import { HIDDEN, hideSecrets } from './redact-secrets.ts';

/** The shortest match of each kind: one character less does not match. */
const SHORTEST: readonly string[] = [
  'xoxb-12345678',
  'sk-0123456789abcdef',
  'ghp_0123456789abcdef',
  'github_pat_0123456789abcdef',
  'glpat-0123456789abcdef',
  'xapp-0123456789abcdef',
  'AKIA0123456789ABCDEF',
  `AIza${'0aB'.repeat(10)}`,
  'ya29.0123456789abcdef',
  'SG.0123456789.abcdefghi',
  `eyJ${'0aB'.repeat(6)}`,
  '-----BEGIN X-----\nMII\n-----END X-----',
  'a'.repeat(128),
  '0'.repeat(64),
  'a1B2c3D4'.repeat(4),
];

describe('hideSecrets', () => {
  it.each(SHORTEST)('hides %j in any context', (secret) => {
    for (const text of [secret, ` ${secret} `, `\n${secret}\n`, `say "${secret}" to me`, `(${secret})`]) {
      expect(hideSecrets(text)).toContain(HIDDEN);
      expect(hideSecrets(text)).not.toContain(secret);
    }
  });

  it.each([
    ['x://u:p@h', 'x://[redacted]@h'],
    ['Bearer abcdef', 'Bearer [redacted]'],
    ['basic 0123456789abcdef', 'basic [redacted]'],
    ['cookie:a', 'cookie:[redacted]'],
    ['Authorization: x', 'Authorization: [redacted]'],
    ['pwd=x', 'pwd=[redacted]'],
    ['api key: x', 'api key: [redacted]'],
    ['-token x', '-token [redacted]'],
    ['--db-password x', '--db-password [redacted]'],
    ['PASSPHRASE="a b"', 'PASSPHRASE=[redacted]'],
    ['credential=x', 'credential=[redacted]'],
    ['export DB_PASS=x', 'export DB_PASS=[redacted]'],
    ['{"pass": "x"}', '{"pass": [redacted]}'],
    ['Digest username="u", response="x"\nHost: h', 'Digest [redacted]\nHost: h'],
    ['Authorization: Digest username="u", response="x"', 'Authorization: [redacted]'],
  ])('hides the named value in %j', (text, hidden) => {
    expect(hideSecrets(text)).toBe(hidden);
  });

  it.each([
    '',
    'a',
    'some text of a value',
    'a/b/c.md',
    'incomprehensibilities',
    'what is a token',
    'all tests pass: 5 of 5',
    'a digest of the week',
    '1,234.5',
  ])('keeps %j', (text) => {
    expect(hideSecrets(text)).toBe(text);
  });
});
