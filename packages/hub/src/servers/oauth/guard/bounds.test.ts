import { describe, expect, it } from 'vitest';
import { allows, hostsOf, checkedUrl, type Bounds } from './bounds.ts';

const OPEN: Bounds = { allowsPrivate: false, named: new Set() };
const INSIDE: Bounds = { allowsPrivate: true, named: new Set() };

const REFUSED_IN_THE_OPEN = [
  'http://169.254.169.254/latest/meta-data',
  'https://169.254.169.254/',
  'http://example.com/',
  'http://127.0.0.1:8080/',
  'https://127.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://１２７.0.0.1/',
  'https://127。0。0。1/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[::1]/',
  'https://localhost/',
  'https://localhost./',
  'https://a.localhost/',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://0.0.0.0/',
  'http://127.evil.com/',
  'https://user@example.com/',
  'https://user:pass@example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'ms-msdt:x',
  'data:text/html,x',
  '$(calc)',
  '--flag',
  '',
];

describe('checkedUrl', () => {
  it.each(REFUSED_IN_THE_OPEN)('refuses %s for a public server', (address) =>
    expect(() => checkedUrl(address, OPEN, 'The token endpoint')).toThrow(
      expect.objectContaining({ code: 'SIGN_IN_FAILED' }),
    ),
  );

  it('accepts any public https address', () => {
    expect(checkedUrl('https://auth.example.com/token?x=1', OPEN, 'It').href).toBe(
      'https://auth.example.com/token?x=1',
    );
  });

  it.each(['http://127.0.0.1:8080/', 'https://10.0.0.1/', 'http://localhost:1/', 'https://[fd00::1]/'])(
    'accepts %s for a private server',
    (address) => expect(checkedUrl(address, INSIDE, 'It')).toBeInstanceOf(URL),
  );

  it.each(['https://169.254.169.254/', 'http://10.0.0.1/', 'http://example.com/', 'file:///etc/passwd'])(
    'refuses %s even for a private server',
    (address) => expect(() => checkedUrl(address, INSIDE, 'It')).toThrow(/was not requested/),
  );

  it('accepts a private address that the person configured, and no other', () => {
    const bounds: Bounds = { allowsPrivate: false, named: hostsOf('https://10.0.0.1/issuer', undefined) };
    expect(checkedUrl('https://10.0.0.1/token', bounds, 'It')).toBeInstanceOf(URL);
    expect(() => checkedUrl('https://10.0.0.2/token', bounds, 'It')).toThrow(/private network/);
    const named = { ...OPEN, named: new Set(['a.example.com']) };
    expect(allows(named, 'a.example.com', '169.254.169.254')).toBe(false);
  });

  it.each([
    'https://a.example.com/\u001b]0;x\u0007',
    'https://a.example.com/\nhint: run this',
    ' https://a.example.com',
  ])('refuses an address that parsers read differently: %j', (address) =>
    expect(() => checkedUrl(address, OPEN, 'It')).toThrow('It is not a valid URL. It was not requested.'),
  );

  it('does not show the query of a refused address', () => {
    expect(() => checkedUrl('https://10.0.0.1/a?secret=hush', OPEN, 'It')).not.toThrow(/hush/);
  });
});

describe('allows', () => {
  it('checks the address that a name resolved to', () => {
    expect(allows(OPEN, 'rebound.example.com', '127.0.0.1')).toBe(false);
    expect(allows(OPEN, 'rebound.example.com', '::ffff:10.0.0.1')).toBe(false);
    expect(allows(OPEN, 'fine.example.com', '1.1.1.1')).toBe(true);
    expect(allows(INSIDE, 'corp.example.com', '10.0.0.1')).toBe(true);
    expect(allows(INSIDE, 'corp.example.com', '169.254.169.254')).toBe(false);
    expect(allows({ ...OPEN, named: new Set(['corp.example.com']) }, 'corp.example.com', '10.0.0.1')).toBe(
      true,
    );
  });
});
