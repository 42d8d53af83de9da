import { describe, expect, it } from 'vitest';
import { secretNameFor, secretNameOf } from './secret-name.ts';

describe('what a secret is called', () => {
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

  it('fits into the vault', () => {
    expect(secretNameOf('x'.repeat(40), 'y'.repeat(40))).toMatch(/^\w{64}$/);
  });
});
