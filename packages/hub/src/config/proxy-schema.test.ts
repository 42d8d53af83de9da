import { describe, expect, it } from 'vitest';
import { PincerError } from '../core/errors.ts';
import { parseConfig } from './load.ts';
import type { ProxyConfig } from './proxy-schema.ts';

const HASH = 'ab'.repeat(32);
const OTHER_HASH = 'cd'.repeat(32);
const SERVER = { url: 'https://example.com/mcp' };

const proxyOf = (proxy: object): ProxyConfig => parseConfig({ proxy }, {}).proxy;

const issues = (proxy: unknown, rest: object = {}): string[] => {
  try {
    parseConfig({ ...rest, proxy }, {});
    return [];
  } catch (error) {
    return (PincerError.from(error).data!['issues'] as { message: string }[]).map(({ message }) => message);
  }
};

const app = (fields: object = {}): object => ({ name: 'web', tokenHash: HASH, ...fields });
const appIssues = (fields: object): string[] => issues({ apps: [app(fields)] });

describe('settings of the app proxy', () => {
  it('have defaults', () => {
    expect(proxyOf({ apps: [app()] })).toEqual({
      enabled: true,
      host: '127.0.0.1',
      allowedHosts: [],
      apps: [{ name: 'web', tokenHash: HASH, origins: [], trust: 'pin' }],
    });
  });

  it('may refer to variables and secrets', () => {
    const proxy = { appToken: '$APP', openclawToken: '$secret:OC' };
    const { appToken, openclawToken } = parseConfig({ proxy }, { APP: 'a' }, 'x', () => 'b').proxy;
    expect([appToken, openclawToken]).toEqual(['a', 'b']);
    expect(issues(proxy)).toEqual([
      expect.stringContaining('proxy.appToken refers to $APP'),
      expect.stringContaining('proxy.openclawToken refers to $secret:OC'),
    ]);
    expect(issues({ ...proxy, enabled: false })).toEqual([]);
  });

  it.each<[object, string]>([
    [{ prot: 1 }, 'proxy.prot: unknown; did you mean "port"?'],
    [{ port: 65_536 }, 'proxy.port: must be at most 65535'],
    [{ port: '8000' }, 'proxy.port: must be a number, not a text'],
    [{ host: '' }, 'proxy.host: must not be empty'],
    [{ apps: {} }, 'proxy.apps: must be a list, not an object'],
    [{ appToken: 7 }, 'proxy.appToken: must be a text in quotes, not a number'],
  ])('refuses %j with its path', (proxy, issue) => {
    expect(issues(proxy)).toEqual([issue]);
  });

  it.each(['https://proxy.example.com', 'https://proxy.example.com/', 'http://192.168.1.4:8000'])(
    'publicUrl may be %s',
    (publicUrl) => {
      expect(issues({ publicUrl })).toEqual([]);
    },
  );

  it.each([
    'https://proxy.example.com/path',
    'https://proxy.example.com/?q',
    'https://proxy.example.com/#f',
    'https://me:pw@proxy.example.com',
    'ws://proxy.example.com',
    'proxy.example.com',
  ])('publicUrl may not be %s', (publicUrl) => {
    expect(issues({ publicUrl })).toEqual([expect.stringMatching(/^proxy\.publicUrl: must be /)]);
  });

  it.each(['proxy.local', 'PROXY:8000', '10.0.0.1', '[fe80::1]:8000', 'my_host'])(
    'allowedHosts may have %s',
    (host) => {
      expect(issues({ allowedHosts: [host] })).toEqual([]);
    },
  );

  it.each(['', '*', 'http://proxy', 'proxy/x', 'a b', 'fe80::1', 'me@proxy'])(
    'allowedHosts may not have %j',
    (host) => {
      expect(issues({ allowedHosts: [host] })).toEqual([
        expect.stringMatching(/^proxy\.allowedHosts\[0\]: /),
      ]);
    },
  );
});

describe('an app', () => {
  it('has trust and policy settings, as a server does', () => {
    const fields = { trust: 'always', policy: { 'a.b': 'deny', '*': 'ask' } };
    expect(proxyOf({ apps: [app(fields)] }).apps).toEqual([{ ...app(fields), origins: [] }]);
  });

  it.each(['device', 'agent', 'apps', 'anonymous'])('cannot be called %s', (name) => {
    expect(appIssues({ name })).toEqual(['proxy.apps[0].name: this name is reserved']);
  });

  it.each(['', 'a__b', 'a_', 'a.b', 'x'.repeat(31)])('cannot be called %j', (name) => {
    expect(appIssues({ name })).toEqual([expect.stringMatching(/^proxy\.apps\[0\]\.name: an app name is /)]);
  });

  it('leaves the name anonymous to servers', () => {
    expect(issues({}, { servers: { anonymous: SERVER } })).toEqual([]);
  });

  it.each(['', 'ab', 'g'.repeat(64), 'a'.repeat(65)])('cannot have the token hash %j', (tokenHash) => {
    expect(appIssues({ tokenHash })).toEqual([expect.stringMatching(/^proxy\.apps\[0\]\.tokenHash: /)]);
  });

  it.each([
    'https://app.example.com',
    'https://app.example.com:8443',
    'http://localhost:3000',
    'http://127.0.0.1:5173',
    'http://[::1]:3000',
  ])('may be used by pages of %s', (origin) => {
    expect(appIssues({ origins: [origin] })).toEqual([]);
  });

  it.each([
    'null',
    '*',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://APP.example.com',
    'https://app.example.com:443',
    'https://*.example.com',
    'http://app.example.com',
    'http://localhost.evil.com',
    'chrome-extension://abc',
    'file://',
  ])('may not be used by pages of %s', (origin) => {
    expect(appIssues({ origins: [origin] })).toEqual([
      expect.stringMatching(/^proxy\.apps\[0\]\.origins\[0\]: must be an origin as browsers write it/),
    ]);
  });
});

describe('ambiguous apps', () => {
  it.each<[string, object]>([
    ['the server web', { web: SERVER }],
    ['the server site, as its toolPrefix', { site: { ...SERVER, toolPrefix: 'web' } }],
  ])('are refused if the name belongs to %s', (owner, servers) => {
    expect(issues({ apps: [app()] }, { servers })).toEqual([
      `proxy.apps[0].name: already belongs to ${owner}`,
    ]);
  });

  it('are refused if two have the same name or token', () => {
    expect(issues({ apps: [app(), app({ tokenHash: OTHER_HASH })] })).toEqual([
      'proxy.apps[1].name: already belongs to the app 1',
    ]);
    expect(issues({ apps: [app(), app({ name: 'tab', tokenHash: HASH.toUpperCase() })] })).toEqual([
      'proxy.apps[1].tokenHash: already belongs to the app 1',
    ]);
  });

  it('are reported together with other problems', () => {
    const rest = { debug: 'x', servers: { web: {} } };
    expect(issues({ apps: [null, app()] }, rest)).toHaveLength(4);
  });
});
