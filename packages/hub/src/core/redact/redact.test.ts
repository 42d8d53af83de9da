import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactArguments } from './redact.ts';
import { jsonBytes, toByteText } from '../wire/byte-text.ts';
import { atDepth } from '../../../../../test/kit/depth.ts';

const MAX = 2_048;
const redact = (value: unknown, maxBytes = MAX): string =>
  redactArguments(toByteText(JSON.stringify(value)), maxBytes);
const redactText = (json: string, maxBytes = MAX): string => redactArguments(toByteText(json), maxBytes);

describe('arguments without secrets', () => {
  it.each([
    '{}',
    '{"a":1,"b":[true,null,"x"],"c":{"d":{}}}',
    '{"path":"/home/Peter/Projects/2024/My/src/components/Index7"}',
    '{"commit":"3f2a6c1d9b8e7f6a5c4d3e2f1a0b9c8d7e6f5a4b"}',
    '{"id":"123e4567-e89b-12d3-a456-426614174000"}',
    '{"text":"The author’s keynote, on token rings … 日本語 🎉"}',
    '{"max_tokens":4096,"author":"Ann","monkey":"x","getUserAccountInformationByName":1}',
    '{"name":"value","value":"shown"}',
    '"only text"',
    '[["a","b"],["c"]]',
  ])('stay unchanged: %s', (json) => {
    expect(redactText(json)).toBe(json);
  });

  it('are an empty object if absent', () => {
    expect(redactArguments(undefined, MAX)).toBe('{}');
  });

  it('keep long numbers and lose white space', () => {
    expect(redactText(' { "n" : 99999999999999999999 , "m" : -1.50e+3 } ')).toBe(
      '{"n":99999999999999999999,"m":-1.50e+3}',
    );
  });

  it('show duplicate keys, because servers differ in which one they read', () => {
    const json = String.raw`{"cmd":"rm","cmd":"ls","c\u006dd":"cp"}`;
    expect(redactText(json)).toBe('{"cmd":"rm","cmd":"ls","cmd":"cp"}');
  });

  it('escape invisible characters', () => {
    const invisible = 'a\u202eb\u200bc\u{e0041}d\u0007\u007f\u2028\ufe0f\u00ad';
    expect(redact({ [`k${invisible}`]: invisible })).toBe(
      String.raw`{"ka\u202eb\u200bc\udb40\udc41d\u0007\u007f\u2028\ufe0f\u00ad":"a\u202eb\u200bc\udb40\udc41d\u0007\u007f\u2028\ufe0f\u00ad"}`,
    );
  });
});

describe('a value under a secret name', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'token',
    'accessToken',
    'api_key',
    'X-API-Key',
    'apikey',
    'client_secret',
    'PASSWORD',
    'passwd',
    'pwd',
    'Set-Cookie',
    'credentials',
    'privateKey',
    'private-key',
    'auth',
    'jwt',
    'DB_PASS',
    'MYSQL_PWD',
    'smtpPass',
    'X-Auth-Key',
  ])('is hidden under %s', (name) => {
    expect(redact({ [name]: 'x' })).toBe(JSON.stringify({ [name]: '[redacted]' }));
    expect(redact({ [name]: { user: 'x' } })).toBe(JSON.stringify({ [name]: '[redacted]' }));
    expect(redact({ [name]: ['x'] })).toBe(JSON.stringify({ [name]: '[redacted]' }));
    expect(redact({ [name]: 1234 })).toBe(JSON.stringify({ [name]: '[redacted]' }));
    expect(redact({ in: [{ [name]: 'x', after: 'y' }] })).toContain('"after":"y"');
  });

  it('is hidden if the name is a separate value before or after it', () => {
    expect(redact([{ name: 'Authorization', value: 'x' }])).not.toContain('"x"');
    expect(redact([{ value: 'x', key: 'API_KEY' }])).not.toContain('"x"');
    expect(redact(['mysql', '--password', 'x', 'y'])).toBe('["mysql","--password","[redacted]","y"]');
    expect(redact({ headers: [['Cookie', 'x']] })).not.toContain('"x"');
  });

  it.each([
    '{"value":["hunter2"],"name":"password"}',
    '{"value":{"a":["hunter2"]},"name":"password"}',
    '{"value":"hunter2","name":"p\\u0061ssword"}',
    '{"name":"colour","value":"hunter2","name":"password"}',
    `{"value":"hunter2","more":"${'x '.repeat(5_000)}","name":"password"}`,
  ])('is hidden in any form: %s', (json) => {
    expect(redactText(json)).not.toContain('hunter2');
  });

  it('is hidden as a number', () => {
    expect(redactText('{"value":4711,"name":"pin"}')).toBe('{"value":"[redacted]","name":"pin"}');
  });

  it.each(['bypass', 'passenger', 'compass', 'spin', 'side', 'author', 'pass_through'])(
    'is shown under %s, which only contains a secret word',
    (name) => {
      expect(redact({ [name]: 'x' })).toBe(JSON.stringify({ [name]: 'x' }));
    },
  );

  it('is shown if it is true, false or null', () => {
    expect(redact({ token: null, password: true })).toBe('{"token":null,"password":true}');
  });
});

describe('a value that looks like a secret', () => {
  const chars = (alphabet: string, min: number, max = min + 40): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...Array.from(alphabet)), minLength: min, maxLength: max });
  const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const DIGITS = '0123456789';
  const ALNUM = UPPER + UPPER.toLowerCase() + DIGITS;
  const URL_SAFE = `${ALNUM}-_`;
  /** The text before the secret, the secret, and the text after it. */
  const shapes: Record<string, fc.Arbitrary<readonly [string, string, string]>> = {
    bearer: chars(`${URL_SAFE}.~+/`, 8).map((secret) => ['Bearer ', secret, ''] as const),
    basic: chars(ALNUM, 16).map((secret) => ['Basic ', secret, '=='] as const),
    'sk-': chars(URL_SAFE, 20).map((secret) => ['sk-', secret, ''] as const),
    ghp_: chars(ALNUM, 36).map((secret) => ['ghp_', secret, ''] as const),
    github_pat_: chars(`${ALNUM}_`, 40).map((secret) => ['github_pat_', secret, ''] as const),
    xoxb: chars(`${ALNUM}-`, 20).map((secret) => ['xoxb-', secret, ''] as const),
    AKIA: chars(UPPER + DIGITS, 16, 16).map((secret) => ['AKIA', secret, ''] as const),
    jwt: fc
      .tuple(chars(URL_SAFE, 20), chars(URL_SAFE, 20), chars(URL_SAFE, 20))
      .map(([head, body, sign]) => ['eyJ', `${head}.eyJ${body}.${sign}`, ''] as const),
    pem: chars(`${ALNUM}+/\n`, 20, 2_000).map(
      (secret) => ['-----BEGIN PRIVATE KEY-----\n', secret, '\n-----END PRIVATE KEY-----'] as const,
    ),
    'pem without its end': chars(ALNUM, 20).map(
      (secret) => ['-----BEGIN RSA PRIVATE KEY-----\n', secret, ''] as const,
    ),
    base64: chars(`${ALNUM}+/`, 128, 600).map((secret) => ['', secret, '='] as const),
    hex: chars('0123456789abcdef', 64).map((secret) => ['', secret, ''] as const),
    'in a URL': chars(ALNUM, 8).map((secret) => ['https://user:', secret, '@host/'] as const),
    'in a query': chars(ALNUM, 8).map((secret) => ['https://h/?api_key=', secret, '&page=1'] as const),
    'in a variable': chars(ALNUM, 8).map((secret) => ['DB_PASSWORD=', secret, ' node x.js'] as const),
    'after a flag': chars(ALNUM, 8).map((secret) => ['deploy --token ', secret, ' --now'] as const),
    'in a header': chars(`${ALNUM} ;=`, 8).map((secret) => ['Cookie: a=', secret, '\nAccept: x'] as const),
    'in JSON inside of a string': chars(ALNUM, 8).map((secret) => ['{"password": "', secret, '"}'] as const),
  };

  it.each(Object.keys(shapes))('is hidden in any context: %s', (shape) => {
    const words = fc.string({ unit: fc.constantFrom(...Array.from('aä€🎉 .,\n"\\x')), maxLength: 1_500 });
    fc.assert(
      fc.property(
        shapes[shape]!,
        words,
        words,
        fc.nat(2_000),
        ([before, secret, after], left, right, extra) => {
          // A secret that is also a word of the surrounding text would be found there.
          fc.pre(secret.trim().length >= 8);
          const text = `${left} ${before}${secret}${after} ${right}`;
          for (const value of [{ text }, [[text]], { [text]: 1 }, { a: right, b: { text }, c: left }]) {
            const shown = redact(value, 200 + extra);
            expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
            // Nor a part of it where the text was cut.
            expect(shown).not.toContain(JSON.stringify(`${before}${secret.slice(0, 7)}`).slice(1, -1));
          }
        },
      ),
    );
  });

  it('is nearly always hidden if it is a random token', () => {
    const random = (): string =>
      Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const kept = Array.from({ length: 500 }, random).filter((key) => redact({ key }).includes(key));
    expect(kept.length).toBeLessThan(50);
  });
});

describe('a long text', () => {
  it('is cut with a mark and leaves room for what follows', () => {
    const shown = redact({ body: 'word '.repeat(10_000), to: 'everybody' });
    const { body, to } = JSON.parse(shown) as Record<string, string>;
    expect(body).toMatch(/^word word .*… 50000 bytes in all$/);
    expect(to).toBe('everybody');
  });

  it('marks missing members or elements', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]));
    expect(redact(many, 256)).toMatch(/^\{"k0":0,.*,"…":"…"\}$/);
    expect(redact({ in: Object.values(many) }, 256)).toMatch(/^\{"in":\[0,1,.*,"…"\]\}$/);
  });

  it('hides a value whose name may come after the cut', () => {
    const long = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`a${at}`, 'x y '.repeat(400)]));
    const shown = redactArguments(jsonBytes({ value: 'hunter2', ...long, name: 'DB_PASSWORD' }), 600);
    expect(shown).not.toContain('hunter2');
    expect(JSON.parse(shown)).toMatchObject({ value: '[redacted]', '…': '…' });
    expect(redactArguments(jsonBytes({ name: 'COLOUR', value: 'red', ...long }), 600)).toContain('"red"');
  });

  it('is cut between characters', () => {
    for (let extra = 0; extra < 16; extra++)
      for (const unit of ['é', '€', '🎉', '\\', '"', '\u0001'])
        expect(() => JSON.parse(redact({ a: 'x'.repeat(extra) + unit.repeat(5_000) }, 300))).not.toThrow();
  });

  it('has its long numbers cut', () => {
    expect(redactText(`[${'1'.repeat(500)}]`)).toBe(`["${'1'.repeat(64)}… 500 digits in all"]`);
  });

  it('is JSON within the requested size for any input', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 5, max: 1_000 }), (json, maxBytes) => {
        const shown = redactText(json, maxBytes);
        expect(() => JSON.parse(shown)).not.toThrow();
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(Math.max(maxBytes, 16));
      }),
    );
  });

  it('is not followed too deeply', () => {
    const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
    expect(redactText(deep)).toContain('[nested too deeply]');
  });
});

describe('invalid JSON', () => {
  it('is not shown and never throws', () => {
    for (const text of [
      '',
      'x',
      '{',
      '{"a"',
      '{"a":',
      '{"a":1',
      '"a',
      '[1,',
      '[1 2]',
      '{a:1}',
      '1 2',
      '\u00ff',
    ])
      expect(redactArguments(text, MAX)).toBe('"[unreadable]"');
    const bytes = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    });
    const almost = fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\u0 1a')) });
    fc.assert(
      fc.property(fc.oneof(bytes, almost), (text) => {
        expect(() => JSON.parse(redactArguments(text, MAX))).not.toThrow();
      }),
      { numRuns: atDepth(200, 1_000) },
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
    '--token-',
    'eyJ',
    '\\',
    '"',
    ' ',
    'Aa0',
    'bearer ',
  ];
  const length = 1_000_000;
  // Quadratic time would take hours.
  for (const unit of units)
    expect(redact({ a: unit.repeat(length / unit.length) }, length).length).toBeGreaterThan(10);
});
