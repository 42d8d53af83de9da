import { describe, expect, it } from 'vitest';
import {
  clearSecretsIn,
  hideClearSecrets,
  isClearSecret,
  secretNameFor,
  secretNameOf,
  shownTarget,
} from './secrets.ts';

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

const SERVER = {
  url: 'https://user:KEY@example.com/mcp?k=KEY&ref=$REF#x',
  apiKey: 'KEY',
  headers: { Authorization: 'Bearer KEY', 'X-Team': 'blue', 'X-Api-Key': '$secret:A' },
  args: ['--api-key', 'KEY', '--token=KEY', '--key', '$KEY', 'plain'],
  requestTimeoutMs: 5,
};

describe('secrets in clear text', () => {
  it('are hidden', () => {
    const shown = hideClearSecrets(SERVER, 's');
    expect(shown).toEqual({
      url: 'https://(hidden)@example.com/mcp?k=(hidden)&ref=$REF#x',
      apiKey: '(hidden)',
      headers: { Authorization: '(hidden)', 'X-Team': 'blue', 'X-Api-Key': '$secret:A' },
      args: ['--api-key', '(hidden)', '--token=(hidden)', '--key', '$KEY', 'plain'],
      requestTimeoutMs: 5,
    });
  });

  it('are found by their settings', () => {
    expect(clearSecretsIn(SERVER, ['servers', 's'])).toEqual([
      'servers.s.apiKey',
      'servers.s.headers.Authorization',
      'servers.s.args[1]',
    ]);
  });

  it('include the tokens of the app proxy, but not the hashes of its apps', () => {
    const proxy = { appToken: 'a', openclawToken: 'b', apps: [{ name: 'x', tokenHash: 'c' }] };
    expect(clearSecretsIn(proxy, ['proxy'])).toEqual(['proxy.appToken', 'proxy.openclawToken']);
    expect(hideClearSecrets(proxy, 'proxy')).toMatchObject({
      appToken: '(hidden)',
      openclawToken: '(hidden)',
    });
    expect(clearSecretsIn({ appToken: '$secret:A', openclawToken: '$B' }, ['proxy'])).toEqual([]);
  });
});

describe('shownTarget', () => {
  it.each([
    [{ url: 'https://example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/mcp?key=KEY#x' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/mcp#KEY' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/mcp?a\nKEY' }, 'https://example.com/mcp'],
    [{ url: 'https://KEY@example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://user:KEY@example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://user:a@KEY@example.com/mcp' }, 'https://example.com/mcp'],
    [{ url: 'https://example.com/@scope/mcp' }, 'https://example.com/@scope/mcp'],
    [{ url: 'https://example.com/$NAME/mcp' }, 'https://example.com/$NAME/mcp'],
    [{ command: 'npx' }, 'npx'],
    [{ command: 'npx', args: ['-y', 'server', '--key', '$NAME'] }, 'npx -y server --key $NAME'],
    [
      { command: 'npx', args: ['--api-key', 'KEY', '--token=KEY', '-v'] },
      'npx --api-key (hidden) --token=(hidden) -v',
    ],
    [{ command: 'npx', args: 'no list' }, 'npx'],
    [{ url: 5 }, ''],
  ])('%j: %s', (server, text) => expect(shownTarget(server)).toBe(text));
});

describe('the name of a secret', () => {
  it.each([
    ['servers.docs.apiKey', 'DOCS_API_KEY'],
    ['servers.a-b.headers.X-Api-Key', 'A_B_X_API_KEY'],
    ['servers.gh.env.GITHUB_TOKEN', 'GITHUB_TOKEN'],
    ['servers.x.args[3]', 'X_ARGS'],
    ['proxy.appToken', 'PROXY_APP_TOKEN'],
    ['proxy.openclawToken', 'PROXY_OPENCLAW_TOKEN'],
  ])('for %s: %s', (setting, name) => expect(secretNameFor(setting)).toBe(name));

  it.each([
    ['github', 'api-key', 'GITHUB_API_KEY'],
    ['github', 'GITHUB_TOKEN', 'GITHUB_TOKEN'],
    ['a', 'apiKey', 'A_API_KEY'],
    ['token', 'token', 'TOKEN'],
    ['Ä', '--key', 'KEY'],
    ['', '', 'SECRET'],
  ])('of %s and %s: %s', (server, key, name) => expect(secretNameOf(server, key)).toBe(name));

  it('is short enough for the vault', () => {
    expect(secretNameOf('x'.repeat(40), 'y'.repeat(40))).toMatch(/^\w{64}$/);
  });
});
