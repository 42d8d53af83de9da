import { expect, test } from 'vitest';
import { asOpenClawEntry, LeftOutError } from './entries.ts';

const given = (raw: object, translation: object = {}) =>
  asOpenClawEntry('docs', raw as Record<string, unknown>, { signsIn: false, ...translation });

test('keeps the command of a stdio server, and the settings that OpenClaw has', () => {
  const raw = {
    command: 'npx',
    args: ['-y', 'server', '$HOME/x'],
    env: { KEY: '${API_KEY}', PRICE: '$$5', LITERAL: '$${NAME}' },
    cwd: '/srv',
    enabled: false,
    connectTimeoutMs: 5_000,
    requestTimeoutMs: 9_000,
    toolFilter: { exclude: ['drop'] },
    toolPrefix: 'd',
  };
  expect(given(raw)).toEqual({
    key: 'd',
    entry: {
      enabled: false,
      command: 'npx',
      args: ['-y', 'server', '${HOME}/x'],
      env: { KEY: '${API_KEY}', PRICE: '$5', LITERAL: '$${NAME}' },
      cwd: '/srv',
      connectionTimeoutMs: 5_000,
      requestTimeoutMs: 9_000,
      toolFilter: { exclude: ['drop'] },
    },
    clear: [],
    notes: [],
  });
});

test('uses Streamable HTTP for a URL, with the key as a header', () => {
  expect(given({ url: 'https://a.example/mcp', apiKey: '$KEY', headers: { 'X-Team': 'a' } }).entry).toEqual({
    url: 'https://a.example/mcp',
    transport: 'streamable-http',
    headers: { 'X-Team': 'a', Authorization: 'Bearer ${KEY}' },
  });
});

test('marks a server with a sign-in for OAuth, and asks to sign in again', () => {
  const auth = { clientId: 'me', scopes: ['read', 'write'] };
  const signed = given({ url: 'https://a.example/mcp', auth });
  expect(signed.entry).toMatchObject({ auth: 'oauth', oauth: { scope: 'read write' } });
  expect(signed.notes).toEqual(['sign in again: openclaw mcp login docs']);
  expect(given({ url: 'https://a.example/mcp' }, { signsIn: true }).entry).toMatchObject({ auth: 'oauth' });
});

test('warns about settings that OpenClaw does not have', () => {
  const { notes } = given({ command: 'x', policy: { '*': 'ask' }, agents: ['main'], trust: 'ask' });
  expect(notes).toEqual([
    'OpenClaw has no policy, agents, trust, so these settings of yours no longer apply.',
  ]);
});

test('writes a secret only on request, and reports where', () => {
  const raw = { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer $secret:KEY' } };
  expect(() => given(raw)).toThrow(
    new LeftOutError(
      "it needs the secret KEY from Pincer's vault. To include it in clear text: --with-secrets",
    ),
  );
  expect(() => given(raw, { secret: () => undefined })).toThrow('the vault has no secret KEY.');
  const { entry, clear } = given(raw, { secret: () => 'a${b}' });
  expect([entry['headers'], clear]).toEqual([{ Authorization: 'Bearer a$${b}' }, ['headers.Authorization']]);
});

test('leaves out a server with a variable that OpenClaw does not replace', () => {
  expect(() => given({ command: 'x', env: { A: '$lower' } })).toThrow(/env\.A refers to \$lower/);
});
