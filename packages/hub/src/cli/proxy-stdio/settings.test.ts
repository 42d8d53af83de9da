import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { readSession, readTarget } from './settings.ts';

const URL_NAME = 'OPENCLAW_PROXY_SERVER_URL';
const TOKEN_NAME = 'OPENCLAW_PROXY_OPENCLAW_TOKEN';

describe('the URL of the proxy', () => {
  it.each([
    { by: 'the default', base: 'http://127.0.0.1:8000' },
    { by: '.env', file: { [URL_NAME]: 'http://127.0.0.1:1' }, base: 'http://127.0.0.1:1' },
    {
      by: 'the environment',
      env: { [URL_NAME]: 'http://h:2' },
      file: { [URL_NAME]: 'http://h:1' },
      base: 'http://h:2',
    },
    {
      by: 'the flag',
      flags: { proxyBaseUrl: 'https://h' },
      env: { [URL_NAME]: 'http://h:2' },
      base: 'https://h',
    },
    { by: 'the default if the variable is empty', env: { [URL_NAME]: '' }, base: 'http://127.0.0.1:8000' },
  ])('comes from $by', ({ flags = {}, env = {}, file = {}, base }) => {
    verifies('003-config-server-url');
    expect(readTarget(flags, env, file)).toMatchObject({ base, url: new URL(`${base}/v1/mcp`) });
  });

  it.each([
    ['http://h:1/', 'http://h:1/v1/mcp'],
    ['https://h/below/here//', 'https://h/below/here/v1/mcp'],
  ])('%s becomes %s', (proxyBaseUrl, url) => {
    expect(readTarget({ proxyBaseUrl }, {}, {}).url.href).toBe(url);
  });

  it.each(['', 'h:1', 'ws://h:1', 'http://', 'http://me:secret@h', 'http://h/?a=1', 'http://h/#a'])(
    'cannot be %j',
    (proxyBaseUrl) => {
      expect(() => readTarget({ proxyBaseUrl }, {}, {})).toThrow(/^--proxy-base-url /);
    },
  );

  it.each(['http://h:1/v1/mcp', 'http://h:1/v1/mcp/', 'http://h:1/v1/mcp/0123'])(
    'refuses %s and suggests the right one',
    (proxyBaseUrl) => {
      expect(() => readTarget({ proxyBaseUrl }, {}, {})).toThrow(
        expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('Write http://h:1,') }),
      );
    },
  );

  it('is a configuration error if the variable is invalid', () => {
    expect(() => readTarget({}, { [URL_NAME]: 'nowhere' }, {})).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^OPENCLAW_PROXY_SERVER_URL /),
      }),
    );
  });
});

describe('the token', () => {
  it.each([
    ['none', {}, {}, undefined],
    ['the one of .env', {}, { [TOKEN_NAME]: 'b' }, 'b'],
    ['the one of the environment', { [TOKEN_NAME]: 'a' }, { [TOKEN_NAME]: 'b' }, 'a'],
    ['the one of .env if the environment has an empty one', { [TOKEN_NAME]: '' }, { [TOKEN_NAME]: 'b' }, 'b'],
  ])('is %s', (_name, env, file, token) => {
    expect(readTarget({}, env, file).token).toBe(token);
  });

  it.each(['two words', 'a\r\nx-evil: 1', 'a\0'])('cannot be %j', (token) => {
    expect(() => readTarget({}, { [TOKEN_NAME]: token }, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining(token) }),
    );
  });

  const file = { [URL_NAME]: 'http://stranger.example' };

  it('of the environment is not sent to a URL that only .env names', () => {
    expect(() => readTarget({}, { [TOKEN_NAME]: 'a' }, file)).toThrow(/is not sent to a URL from \.env/);
  });

  it.each([
    ['is in .env, too', {}, {}, { ...file, [TOKEN_NAME]: 'b' }],
    ['goes to this machine', {}, { [TOKEN_NAME]: 'a' }, { [URL_NAME]: 'http://127.0.0.1:1' }],
    ['goes to a URL from the environment', {}, { ...file, [TOKEN_NAME]: 'a' }, file],
    [
      'goes to a URL from the command line',
      { proxyBaseUrl: 'http://mine.example' },
      { [TOKEN_NAME]: 'a' },
      file,
    ],
  ])('is sent if it %s', (_name, flags, env, own) => {
    expect(readTarget(flags, env, own).token).toMatch(/^[ab]$/);
  });
});

it('lists the settings that come from .env', () => {
  const file = { [URL_NAME]: 'http://127.0.0.1:1', [TOKEN_NAME]: 'b' };
  expect(readTarget({}, {}, file).fromFile).toEqual([URL_NAME, TOKEN_NAME]);
  expect(readTarget({ proxyBaseUrl: 'http://127.0.0.1:2' }, { [TOKEN_NAME]: 'a' }, file).fromFile).toEqual(
    [],
  );
});

describe('the session of the command line', () => {
  it.each([undefined, 'a', '0123456789abcdef0123456789abcdef', '!~'])('can be %j', (session) => {
    expect(readSession({ session })).toBe(session);
  });

  it.each(['', 'a b', 'a\r\nb', 'ä', 'x'.repeat(257)])('cannot be %j', (session) => {
    expect(() => readSession({ session })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
