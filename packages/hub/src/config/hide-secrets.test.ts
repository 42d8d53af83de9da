import { describe, expect, it } from 'vitest';
import { clearSecretsIn, hideClearSecrets } from './hide-secrets.ts';

const SERVER = {
  url: 'https://user:KEY@example.com/mcp?k=KEY&ref=$REF#x',
  apiKey: 'KEY',
  headers: { Authorization: 'Bearer KEY', 'X-Team': 'blue', 'X-Api-Key': '$secret:A' },
  args: ['--api-key', 'KEY', '--token=KEY', '--key', '$KEY', 'plain'],
  requestTimeoutMs: 5,
};

describe('secrets in clear text', () => {
  it('are not shown', () => {
    const shown = hideClearSecrets(SERVER, 's');
    expect(shown).toEqual({
      url: 'https://(hidden)@example.com/mcp?k=(hidden)&ref=$REF#x',
      apiKey: '(hidden)',
      headers: { Authorization: '(hidden)', 'X-Team': 'blue', 'X-Api-Key': '$secret:A' },
      args: ['--api-key', '(hidden)', '--token=(hidden)', '--key', '$KEY', 'plain'],
      requestTimeoutMs: 5,
    });
  });

  it('are found by the setting that they are in', () => {
    expect(clearSecretsIn(SERVER, ['servers', 's'])).toEqual([
      'servers.s.apiKey',
      'servers.s.headers.Authorization',
      'servers.s.args[1]',
    ]);
  });

  it('are the tokens of the app proxy, not the digests of its apps', () => {
    const proxy = { appToken: 'a', openclawToken: 'b', apps: [{ name: 'x', tokenHash: 'c' }] };
    expect(clearSecretsIn(proxy, ['proxy'])).toEqual(['proxy.appToken', 'proxy.openclawToken']);
    expect(hideClearSecrets(proxy, 'proxy')).toMatchObject({
      appToken: '(hidden)',
      openclawToken: '(hidden)',
    });
    expect(clearSecretsIn({ appToken: '$secret:A', openclawToken: '$B' }, ['proxy'])).toEqual([]);
  });
});
