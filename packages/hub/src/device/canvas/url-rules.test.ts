import { describe, expect, it } from 'vitest';
import { readUrl, refusalOf } from './url-rules.ts';

describe('an invalid address', () => {
  it.each([
    ['', 'url is empty'],
    ['   ', 'url is empty'],
    ['example.com/x', 'url is not an absolute URI'],
    ['/x', 'url is not an absolute URI'],
    ['//example.com', 'url is not an absolute URI'],
    ['https://exa mple.com', 'url is not an absolute URI'],
    ['javascript:alert(1)', "scheme 'javascript' is not allowed (only http/https)"],
    ['JavaScript:alert(1)', "scheme 'javascript' is not allowed (only http/https)"],
    ['file:///etc/passwd', "scheme 'file' is not allowed (only http/https)"],
    ['data:text/html,x', "scheme 'data' is not allowed (only http/https)"],
    ['chrome://version', "scheme 'chrome' is not allowed (only http/https)"],
    ['view-source:https://example.com', "scheme 'view-source' is not allowed (only http/https)"],
    ['https://', 'url has no host'],
    ['https:///x', 'url has no host'],
    ['https:\\\\example.com', 'url has no host'],
    ['https://user:pw@example.com', 'url contains userinfo (user:password@) which is not allowed'],
    ['https://example.com@evil.example', 'url contains userinfo (user:password@) which is not allowed'],
  ])('%j: %s', (url, why) => {
    expect(() => readUrl(url)).toThrow(
      expect.objectContaining({ message: `Invalid url: ${why}`, notExecuted: true }) as Error,
    );
  });
});

const none = new Set<string>();

describe('an address', () => {
  it.each([
    ['https://Example.com', 'https://example.com/'],
    ['  https://example.com/a?b#c ', 'https://example.com/a?b#c'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
  ])('%j is shown as %s', (text, canonical) => {
    const url = readUrl(text);
    expect(url.href).toBe(canonical);
    expect(refusalOf(url, none)).toBeUndefined();
  });

  it.each([
    'http://example.com',
    'https://localhost',
    'https://localhost./',
    'https://app.localhost',
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://8.8.8.8',
    'https://router',
    'https://router./',
    'https://nas.local',
    'https://metadata.google.internal',
    'https://xn--pple-43d.com',
    'https://\u0430pple.com',
  ])('%s is refused for a reason', (text) => {
    const reason = refusalOf(readUrl(text), none);
    expect(reason).toMatch(/^it/);
  });

  it('is shown if the person has allowed its host and port', () => {
    const allow = new Set(['localhost:5173', '127.0.0.1:80', '::1:443']);
    for (const text of ['http://localhost:5173/x', 'http://127.0.0.1/', 'https://[::1]/'])
      expect(refusalOf(readUrl(text), allow)).toBeUndefined();
    for (const text of ['http://localhost:5174', 'https://127.0.0.1/', 'http://127.0.0.2/'])
      expect(refusalOf(readUrl(text), allow)).toBeDefined();
  });
});
