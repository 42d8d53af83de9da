import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from './load.ts';
import { type GivenToProxy, type ProxySettings, readDotEnv, readProxySettings } from './proxy-settings.ts';

const APP = 'OPENCLAW_PROXY_APP_TOKEN';
const OPENCLAW = 'OPENCLAW_PROXY_OPENCLAW_TOKEN';
const TOKENS = { [APP]: 'app-token', [OPENCLAW]: 'openclaw-token' };
const WEB = { name: 'web', tokenHash: 'AB'.repeat(32), origins: ['https://app.example.com'] };

const read = (proxy: object = {}, env: Record<string, string> = {}, given?: GivenToProxy): ProxySettings =>
  readProxySettings(parseConfig({ proxy }, {}).proxy, env, given);

describe('the proxy', () => {
  it('works on this machine without settings, and warns about missing tokens', () => {
    const { warnings, ...settings } = read();
    expect(settings).toEqual({
      host: '127.0.0.1',
      port: 8000,
      publicUrl: undefined,
      allowedHosts: [],
      appToken: undefined,
      openClawToken: undefined,
      apps: [],
      takesAnonymous: true,
      sessionTtlMs: 300_000,
      toolTimeoutMs: 120_000,
    });
    expect(warnings).toEqual([expect.stringContaining(APP), expect.stringContaining(OPENCLAW)]);
  });

  it('does not warn if both tokens are set', () => {
    expect(read({}, TOKENS).warnings).toEqual([]);
    expect(read({ appToken: 'a', openclawToken: 'b' }).warnings).toEqual([]);
  });

  it('warns about the same token for both sides', () => {
    expect(read({ appToken: 'same', openclawToken: 'same' }).warnings).toEqual([
      expect.stringContaining('same token'),
    ]);
  });

  it('normalizes values that are compared later', () => {
    const proxy = {
      publicUrl: 'https://Proxy.example.com:443/',
      allowedHosts: ['Proxy.LAN:8000'],
      host: '[::1]',
      apps: [WEB],
    };
    expect(read(proxy)).toMatchObject({
      host: '::1',
      publicUrl: 'https://proxy.example.com',
      allowedHosts: ['proxy.lan:8000'],
      apps: [{ ...WEB, tokenHash: 'ab'.repeat(32), trust: 'pin', policy: undefined }],
    });
  });

  it('uses a free port if the hub does and no port is set', () => {
    const given = { takesFreePort: true };
    expect(read({}, {}, given).port).toBe(0);
    expect(read({ port: 1 }, {}, given).port).toBe(1);
    expect(read({}, {}, { ...given, port: 2 }).port).toBe(2);
  });

  it('prefers options to the configuration', () => {
    expect(read({ host: '127.0.0.2', port: 1 }, {}, { host: 'localhost', port: 0 })).toMatchObject({
      host: 'localhost',
      port: 0,
    });
  });
});

describe('a token', () => {
  it('comes from the environment, or else from the configuration', () => {
    const proxy = { appToken: 'a', openclawToken: 'b' };
    expect(read(proxy, TOKENS)).toMatchObject({ appToken: 'app-token', openClawToken: 'openclaw-token' });
    expect(read(proxy, { [APP]: '', [OPENCLAW]: '' })).toMatchObject({ appToken: 'a', openClawToken: 'b' });
  });

  it('counts as missing if it is empty', () => {
    expect(read({ appToken: '', openclawToken: '' }, { [APP]: '', [OPENCLAW]: '' })).toMatchObject({
      appToken: undefined,
      openClawToken: undefined,
    });
  });

  it.each([' ', 'a b', 'a\n', 'a\u0000'])('cannot be %j', (token) => {
    expect(() => read({}, { [APP]: token })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(APP) }),
    );
    expect(() => read({ openclawToken: token })).toThrow(/^proxy\.openclawToken contains a space/);
  });
});

describe('on an address that other machines reach', () => {
  it.each(['0.0.0.0', '::', '[::]', '192.168.1.4', 'example.com', '127.evil.com', '::ffff:127.0.0.1'])(
    '%s, both tokens are required',
    (host) => {
      const refused = { code: 'CONFIG_INVALID', hint: expect.stringContaining('127.0.0.1') };
      for (const env of [{}, { [APP]: 'a' }, { [OPENCLAW]: 'b' }])
        expect(() => read({ host }, env)).toThrow(expect.objectContaining(refused));
      expect(read({ host }, TOKENS).warnings).toEqual([]);
    },
  );

  it('the error names variable and setting of each missing token', () => {
    const host = '0.0.0.0';
    expect(() => read({ host })).toThrow(
      /OPENCLAW_PROXY_APP_TOKEN \(proxy\.appToken\) and OPENCLAW_PROXY_OPENCLAW_TOKEN \(proxy\.openclawToken\)/,
    );
    expect(() => read({ host }, { [OPENCLAW]: 'b' })).toThrow(/without OPENCLAW_PROXY_APP_TOKEN \(\S+\)\.$/);
    expect(() => read({}, { [APP]: 'a' }, { host })).toThrow(/without OPENCLAW_PROXY_OPENCLAW_TOKEN/);
  });

  it('no shared token is required if all apps have their own', () => {
    expect(read({ host: '0.0.0.0', apps: [WEB] }, { [OPENCLAW]: 'b' })).toMatchObject({
      appToken: undefined,
      takesAnonymous: false,
      warnings: [],
    });
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost', 'LOCALHOST'])(
    '%s does not count',
    (host) => {
      expect(read({ host }).warnings).toHaveLength(2);
    },
  );
});

describe('a caller without a token', () => {
  it('is accepted only if no app has one', () => {
    expect(read().takesAnonymous).toBe(true);
    expect(read({ apps: [WEB] }).takesAnonymous).toBe(false);
    expect(read({}, { [APP]: 'a' }).takesAnonymous).toBe(false);
  });
});

describe.each([
  ['OPENCLAW_PROXY_SESSION_TTL_SECONDS', 'sessionTtlMs'],
  ['OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS', 'toolTimeoutMs'],
] as const)('%s', (variable, key) => {
  it.each([
    ['60', 60_000],
    ['0.25', 250],
    ['500000', 500_000_000],
  ])('%s', (text, expected) => {
    expect(read({}, { [variable]: text })[key]).toBe(expected);
  });

  it('overrides the defaults, unless it is empty', () => {
    const limits = { sessionTtlMs: 7, toolTimeoutMs: 7 };
    expect(read({}, { [variable]: '1' }, { limits })[key]).toBe(1_000);
    expect(read({}, { [variable]: '' }, { limits })[key]).toBe(7);
  });

  it.each(['0', '-1', '5m', '1e3', 'NaN', 'Infinity', '500001', ' 1', '0x10'])('cannot be %j', (text) => {
    expect(() => read({}, { [variable]: text })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: `${variable} is "${text}", which is not a number of seconds.`,
        hint: 'Use a number above 0, at most 500000.',
      }),
    );
  });
});

describe('.env', () => {
  const dotEnv = {
    file: '/x/.env',
    values: { [APP]: 'of-file', [OPENCLAW]: 'of-file-2', OPENCLAW_PROXY_SESSION_TTL_SECONDS: '1' },
  };

  it('sets values that nothing else sets, and reports them', () => {
    expect(read({}, {}, { dotEnv })).toMatchObject({
      appToken: 'of-file',
      openClawToken: 'of-file-2',
      sessionTtlMs: 1_000,
      dotEnv: { file: '/x/.env', sets: Object.keys(dotEnv.values), ignored: [] },
    });
  });

  it('overrides neither the configuration nor the environment', () => {
    const settings = read(
      { appToken: 'configured' },
      { [OPENCLAW]: 'real' },
      { dotEnv, limits: { sessionTtlMs: 7 } },
    );
    expect(settings).toMatchObject({
      appToken: 'configured',
      openClawToken: 'real',
      sessionTtlMs: 7,
      dotEnv: { sets: [], ignored: Object.keys(dotEnv.values) },
    });
  });

  it('is not validated where it is ignored', () => {
    const bad = {
      file: '/x/.env',
      values: { [APP]: 'two words', OPENCLAW_PROXY_SESSION_TTL_SECONDS: 'soon' },
    };
    const env = { ...TOKENS, OPENCLAW_PROXY_SESSION_TTL_SECONDS: '1' };
    expect(read({}, env, { dotEnv: bad }).appToken).toBe('app-token');
    expect(() => read({}, {}, { dotEnv: bad })).toThrow('contains a space');
  });
});

describe('.env', () => {
  let folder: string;
  const write = (text: string): void => writeFileSync(join(folder, '.env'), text);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-env-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('may contain the five variables of the proxy', () => {
    write(`# The proxy
OPENCLAW_PROXY_APP_TOKEN=replace-me
export OPENCLAW_PROXY_OPENCLAW_TOKEN="with spaces # and this"
OPENCLAW_PROXY_SERVER_URL=http://127.0.0.1:8000 # a comment
OPENCLAW_PROXY_SESSION_TTL_SECONDS=300\r
OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS='120'
`);
    expect(readDotEnv(folder).file).toBe(join(folder, '.env'));
    expect(readDotEnv(folder).values).toEqual({
      OPENCLAW_PROXY_APP_TOKEN: 'replace-me',
      OPENCLAW_PROXY_OPENCLAW_TOKEN: 'with spaces # and this',
      OPENCLAW_PROXY_SERVER_URL: 'http://127.0.0.1:8000',
      OPENCLAW_PROXY_SESSION_TTL_SECONDS: '300',
      OPENCLAW_PROXY_TOOL_TIMEOUT_SECONDS: '120',
    });
  });

  it('has no effect on other variables', () => {
    write('PATH=/evil\nNODE_OPTIONS=--require=x\nPINCER_HOME=/tmp\nOPENCLAW_PROXY_OTHER=1\n__proto__=x\n');
    expect(readDotEnv(folder).values).toEqual({});
  });

  it('may be missing or a folder', () => {
    expect(readDotEnv(folder).values).toEqual({});
    mkdirSync(join(folder, '.env'));
    expect(readDotEnv(folder).values).toEqual({});
  });

  it('is refused if it is too large', () => {
    write(`OPENCLAW_PROXY_APP_TOKEN=a\n${'#'.repeat(64 * 1024)}`);
    expect(() => readDotEnv(folder)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE', message: expect.stringContaining('65536 bytes') }),
    );
  });
});
