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
  it('needs no setting on this machine, and says what is open', () => {
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

  it('says nothing where nothing is open', () => {
    expect(read({}, TOKENS).warnings).toEqual([]);
    expect(read({ appToken: 'a', openclawToken: 'b' }).warnings).toEqual([]);
  });

  it('says that one token for both sides is one too few', () => {
    expect(read({ appToken: 'same', openclawToken: 'same' }).warnings).toEqual([
      expect.stringContaining('same token'),
    ]);
  });

  it('is as tidy as those need it who compare', () => {
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

  it('takes a free port where the hub does and nobody has named one', () => {
    const given = { takesFreePort: true };
    expect(read({}, {}, given).port).toBe(0);
    expect(read({ port: 1 }, {}, given).port).toBe(1);
    expect(read({}, {}, { ...given, port: 2 }).port).toBe(2);
  });

  it('takes what it is given before what is configured', () => {
    expect(read({ host: '127.0.0.2', port: 1 }, {}, { host: 'localhost', port: 0 })).toMatchObject({
      host: 'localhost',
      port: 0,
    });
  });
});

describe('a token', () => {
  it('is that of the environment, then that of the configuration', () => {
    const proxy = { appToken: 'a', openclawToken: 'b' };
    expect(read(proxy, TOKENS)).toMatchObject({ appToken: 'app-token', openClawToken: 'openclaw-token' });
    expect(read(proxy, { [APP]: '', [OPENCLAW]: '' })).toMatchObject({ appToken: 'a', openClawToken: 'b' });
  });

  it('that is empty is none', () => {
    expect(read({ appToken: '', openclawToken: '' }, { [APP]: '', [OPENCLAW]: '' })).toMatchObject({
      appToken: undefined,
      openClawToken: undefined,
    });
  });

  it.each([' ', 'a b', 'a\n', 'a\u0000'])('cannot be %j', (token) => {
    expect(() => read({}, { [APP]: token })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(APP) }),
    );
    expect(() => read({ openclawToken: token })).toThrow(/^proxy\.openclawToken has a blank/);
  });
});

describe('on an address that other machines reach', () => {
  it.each(['0.0.0.0', '::', '[::]', '192.168.1.4', 'example.com', '127.evil.com', '::ffff:127.0.0.1'])(
    '%s, nothing may be open',
    (host) => {
      const refused = { code: 'CONFIG_INVALID', hint: expect.stringContaining('127.0.0.1') };
      for (const env of [{}, { [APP]: 'a' }, { [OPENCLAW]: 'b' }])
        expect(() => read({ host }, env)).toThrow(expect.objectContaining(refused));
      expect(read({ host }, TOKENS).warnings).toEqual([]);
    },
  );

  it('both the variable and the setting are named, of what is missing only', () => {
    const host = '0.0.0.0';
    expect(() => read({ host })).toThrow(
      /OPENCLAW_PROXY_APP_TOKEN \(proxy\.appToken\) and OPENCLAW_PROXY_OPENCLAW_TOKEN \(proxy\.openclawToken\)/,
    );
    expect(() => read({ host }, { [OPENCLAW]: 'b' })).toThrow(/without OPENCLAW_PROXY_APP_TOKEN \(\S+\)\.$/);
    expect(() => read({}, { [APP]: 'a' }, { host })).toThrow(/without OPENCLAW_PROXY_OPENCLAW_TOKEN/);
  });

  it('apps with tokens of their own need none in common', () => {
    expect(read({ host: '0.0.0.0', apps: [WEB] }, { [OPENCLAW]: 'b' })).toMatchObject({
      appToken: undefined,
      takesAnonymous: false,
      warnings: [],
    });
  });

  it.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost', 'LOCALHOST'])('%s is none', (host) => {
    expect(read({ host }).warnings).toHaveLength(2);
  });
});

describe('whoever comes without a token', () => {
  it('is let in only while no app has one', () => {
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

  it('wins over the defaults, unless it is empty', () => {
    const limits = { sessionTtlMs: 7, toolTimeoutMs: 7 };
    expect(read({}, { [variable]: '1' }, { limits })[key]).toBe(1_000);
    expect(read({}, { [variable]: '' }, { limits })[key]).toBe(7);
  });

  it.each(['0', '-1', '5m', '1e3', 'NaN', 'Infinity', '500001', ' 1', '0x10'])('cannot be %j', (text) => {
    expect(() => read({}, { [variable]: text })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: `${variable} is "${text}", which is no number of seconds.`,
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

  it('sets what nothing else does, and it is known what', () => {
    expect(read({}, {}, { dotEnv })).toMatchObject({
      appToken: 'of-file',
      openClawToken: 'of-file-2',
      sessionTtlMs: 1_000,
      dotEnv: { file: '/x/.env', sets: Object.keys(dotEnv.values), ignored: [] },
    });
  });

  it('replaces no token and no limit of the configuration, and no variable of the environment', () => {
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

  it('is not complained of where it does not count', () => {
    const bad = {
      file: '/x/.env',
      values: { [APP]: 'two words', OPENCLAW_PROXY_SESSION_TTL_SECONDS: 'soon' },
    };
    const env = { ...TOKENS, OPENCLAW_PROXY_SESSION_TTL_SECONDS: '1' };
    expect(read({}, env, { dotEnv: bad }).appToken).toBe('app-token');
    expect(() => read({}, {}, { dotEnv: bad })).toThrow('has a blank');
  });
});

describe('.env', () => {
  let folder: string;
  const write = (text: string): void => writeFileSync(join(folder, '.env'), text);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pincer-env-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('may have the five variables of the proxy', () => {
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

  it('says nothing else to anybody', () => {
    write('PATH=/evil\nNODE_OPTIONS=--require=x\nPINCER_HOME=/tmp\nOPENCLAW_PROXY_OTHER=1\n__proto__=x\n');
    expect(readDotEnv(folder).values).toEqual({});
  });

  it('need not be there, nor be a file', () => {
    expect(readDotEnv(folder).values).toEqual({});
    mkdirSync(join(folder, '.env'));
    expect(readDotEnv(folder).values).toEqual({});
  });

  it('that is too large is refused', () => {
    write(`OPENCLAW_PROXY_APP_TOKEN=a\n${'#'.repeat(64 * 1024)}`);
    expect(() => readDotEnv(folder)).toThrow(
      expect.objectContaining({ code: 'CONFIG_UNREADABLE', message: expect.stringContaining('65536 bytes') }),
    );
  });
});
