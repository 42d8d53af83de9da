import { describe, expect, it } from 'vitest';
import type { ServerDraft } from '../../config/import/types.ts';
import { keepSecrets } from './keep-secrets.ts';
import { splitUrl } from './keep-secrets.ts';

const keep = (draft: ServerDraft, server = 'acme') => keepSecrets(server, draft, (name) => name);

describe('secrets in clear text', () => {
  it.each<[ServerDraft, ServerDraft, Record<string, string>]>([
    [
      { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer abc', 'X-Region': 'eu' } },
      { url: 'https://a.example/mcp', apiKey: '${secret:ACME_TOKEN}', headers: { 'X-Region': 'eu' } },
      { ACME_TOKEN: 'abc' },
    ],
    [
      { url: 'https://a.example/mcp', headers: { authorization: 'Basic dTpw', 'x-api-key': 'k' } },
      {
        url: 'https://a.example/mcp',
        headers: { authorization: '${secret:ACME_AUTHORIZATION}', 'x-api-key': '${secret:ACME_X_API_KEY}' },
      },
      { ACME_AUTHORIZATION: 'Basic dTpw', ACME_X_API_KEY: 'k' },
    ],
    [
      { command: 'x', env: { ACME_TOKEN: 'pa$$ss', LOG_LEVEL: 'info', MAX_TOKENS: '4096', AUTH_TOKEN: '' } },
      {
        command: 'x',
        env: { ACME_TOKEN: '${secret:ACME_TOKEN}', LOG_LEVEL: 'info', MAX_TOKENS: '4096', AUTH_TOKEN: '' },
      },
      { ACME_TOKEN: 'pa$ss' },
    ],
    [
      { command: 'x', env: { HARMLESS: 'ghp_abcdefghijklmnopqrst' } },
      { command: 'x', env: { HARMLESS: '${secret:ACME_HARMLESS}' } },
      { ACME_HARMLESS: 'ghp_abcdefghijklmnopqrst' },
    ],
    [
      { command: 'x', args: ['-y', '--api-key', 'abc', '--token=def', '--verbose', 'tvly-abcdefgh1234'] },
      {
        command: 'x',
        args: [
          '-y',
          '--api-key',
          '${secret:ACME_API_KEY}',
          '--token=${secret:ACME_TOKEN}',
          '--verbose',
          '${secret:ACME_KEY}',
        ],
      },
      { ACME_API_KEY: 'abc', ACME_TOKEN: 'def', ACME_KEY: 'tvly-abcdefgh1234' },
    ],
    [
      { command: 'npx', args: ['mcp-remote', 'https://a.example', '--header', 'Authorization: Bearer abc'] },
      {
        command: 'npx',
        args: [
          'mcp-remote',
          'https://a.example',
          '--header',
          'Authorization: Bearer ${secret:ACME_AUTHORIZATION}',
        ],
      },
      { ACME_AUTHORIZATION: 'abc' },
    ],
    [
      { command: 'x', env: { DATABASE_URL: 'postgres://me:hunter2@db/prod?sslmode=require' } },
      {
        command: 'x',
        env: { DATABASE_URL: 'postgres://me:${secret:ACME_PASSWORD}@db/prod?sslmode=require' },
      },
      { ACME_PASSWORD: 'hunter2' },
    ],
    [
      { url: 'https://a.example/mcp/?tavilyApiKey=abc&lang=en#top' },
      { url: 'https://a.example/mcp/?tavilyApiKey=${secret:ACME_TAVILY_API_KEY}&lang=en#top' },
      { ACME_TAVILY_API_KEY: 'abc' },
    ],
    [
      { url: 'https://a.example/api/s/N2E4YjNkNTAtMTIzNC00NTY3/mcp' },
      { url: 'https://a.example/api/s/${secret:ACME_URL_KEY}/mcp' },
      { ACME_URL_KEY: 'N2E4YjNkNTAtMTIzNC00NTY3' },
    ],
    [
      { url: 'https://a.example/mcp', auth: { clientId: 'c', clientSecret: 's' } },
      { url: 'https://a.example/mcp', auth: { clientId: 'c', clientSecret: '${secret:ACME_CLIENT_SECRET}' } },
      { ACME_CLIENT_SECRET: 's' },
    ],
    [
      { command: 'x', env: { A_KEY: 'same', B_KEY: 'same' } },
      { command: 'x', env: { A_KEY: '${secret:ACME_A_KEY}', B_KEY: '${secret:ACME_A_KEY}' } },
      { ACME_A_KEY: 'same' },
    ],
  ])('of %j move to the vault', (before, after, secrets) => {
    const { draft, kept } = keep(before);
    expect(draft).toEqual(after);
    expect(Object.fromEntries(kept.map(({ secret, value }) => [secret, value]))).toEqual(secrets);
  });

  it.each<ServerDraft>([
    { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/p/token-store'] },
    { command: 'x', env: { API_KEY: '${API_KEY}', B_KEY: '$B', URL: 'https://example.com/a/b' } },
    { url: 'https://mcp.example.com/v1/mcp?lang=en', headers: { 'X-Key': '${K}' } },
    { url: 'https://a.example/mcp', apiKey: '${TOKEN}' },
    { command: 'uvx', args: ['--from', 'git+https://github.com/o/r', 'tool', '--port=8080'] },
  ])('are not found in %j', (draft) => {
    expect(keep(draft)).toEqual({ draft, kept: [] });
  });

  it('are named after their setting, with the server’s name as prefix once', () => {
    const name = (server: string, key: string) =>
      keep({ command: 'x', env: { [key]: 'v' } }, server).kept[0]!.secret;
    expect(name('github', 'GITHUB_PERSONAL_ACCESS_TOKEN')).toBe('GITHUB_PERSONAL_ACCESS_TOKEN');
    expect(name('my-server', 'apiKey')).toBe('MY_SERVER_API_KEY');
    expect(name('x', 'TOKEN'.repeat(20))).toHaveLength(64);
  });
});

describe('splitUrl', () => {
  it.each([
    'https://example.com',
    'https://u:p@example.com:8443/a//b/?x=1&y&z==#h',
    'postgres://:p@/db',
    'http://[::1]:80/?',
  ])('splits %s into parts that join to the same text', (text) => {
    const { origin, user, password, segments, query, hash } = splitUrl(text)!;
    const account = user === undefined ? '' : `${user}${password === undefined ? '' : `:${password}`}@`;
    const search = query.map(([key, value]) => (value === undefined ? key : `${key}=${value}`)).join('&');
    const path = segments.join('/');
    expect(`${origin[0]}${account}${origin[1]}${path}${text.includes('?') ? '?' : ''}${search}${hash}`).toBe(
      text,
    );
  });

  it.each(['', 'example.com', '-y', '@scope/name', 'a:b'])('returns undefined for %j', (text) => {
    expect(splitUrl(text)).toBeUndefined();
  });
});
