import { expect, test } from 'vitest';
import { asOpenClawEntry, LeftOutError } from './entries.ts';

const given = (raw: object, translation: object = {}) =>
  asOpenClawEntry('docs', raw as Record<string, unknown>, { signsIn: false, ...translation });

test('a program keeps its command, and what OpenClaw has a setting for', () => {
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

test('an address is spoken to over Streamable HTTP, with its key as a header', () => {
  expect(given({ url: 'https://a.example/mcp', apiKey: '$KEY', headers: { 'X-Team': 'a' } }).entry).toEqual({
    url: 'https://a.example/mcp',
    transport: 'streamable-http',
    headers: { 'X-Team': 'a', Authorization: 'Bearer ${KEY}' },
  });
});

test('a sign-in has to be made again, and OpenClaw is told that there is one', () => {
  const auth = { clientId: 'me', scopes: ['read', 'write'] };
  const signed = given({ url: 'https://a.example/mcp', auth });
  expect(signed.entry).toMatchObject({ auth: 'oauth', oauth: { scope: 'read write' } });
  expect(signed.notes).toEqual(['sign in again: openclaw mcp login docs']);
  expect(given({ url: 'https://a.example/mcp' }, { signsIn: true }).entry).toMatchObject({ auth: 'oauth' });
});

test('what protects calls in Pincer alone is said to hold no longer', () => {
  const { notes } = given({ command: 'x', policy: { '*': 'ask' }, agents: ['main'], trust: 'ask' });
  expect(notes).toEqual(['OpenClaw has no policy, agents, trust: what you have set there no longer holds.']);
});

test('a secret is never written unless it is asked for, and then it is said where', () => {
  const raw = { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer $secret:KEY' } };
  expect(() => given(raw)).toThrow(
    new LeftOutError("it needs the secret KEY of Pincer's vault. --with-secrets writes it in clear text."),
  );
  expect(() => given(raw, { secret: () => undefined })).toThrow('the vault has no secret KEY.');
  const { entry, clear } = given(raw, { secret: () => 'a${b}' });
  expect([entry['headers'], clear]).toEqual([{ Authorization: 'Bearer a$${b}' }, ['headers.Authorization']]);
});

test('a variable that OpenClaw would not put in is a reason to leave the server out', () => {
  expect(() => given({ command: 'x', env: { A: '$lower' } })).toThrow(/env\.A refers to \$lower/);
});
