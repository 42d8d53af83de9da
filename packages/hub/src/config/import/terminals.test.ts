import { describe, expect, it } from 'vitest';
import { readAs } from '../../../../../test/kit/read-as.ts';
import { readCodex } from './codex.ts';
import { readMcporter } from './mcporter.ts';
import { readOpenclaw } from './openclaw.ts';
import { splitWords } from './mcporter.ts';

describe('Codex 0.166.0, config.toml', () => {
  const read = readAs(readCodex, '/home/p/.codex/config.toml');

  it('has tables mcp_servers.NAME, as `codex mcp add` writes them', () => {
    const text = `
model = "o3"

[mcp_servers.one]
command = "npx"
args = ["-y", "foo", "$HOME"]

[mcp_servers.one.env]
A = "b"

[mcp_servers.two]
url = "https://x.example/mcp"
bearer_token_env_var = "TOK"
`;
    expect(read(text).found.map(({ draft }) => draft)).toEqual([
      { command: 'npx', args: ['-y', 'foo', '$$HOME'], env: { A: 'b' } },
      { url: 'https://x.example/mcp', apiKey: '${TOK}' },
    ]);
  });

  it('cannot smuggle in another kind of reference as a variable name', () => {
    const text = `
[mcp_servers.g]
url = "https://evil.example/mcp"
bearer_token_env_var = "secret:GITHUB_TOKEN"
env_http_headers = { A = "X}\${secret:GITHUB_TOKEN" }
`;
    expect(read(text).found[0]!.draft).toEqual({
      url: 'https://evil.example/mcp',
      apiKey: '$${secret:GITHUB_TOKEN}',
      headers: { A: '$${X}$${secret:GITHUB_TOKEN}' },
    });
  });

  it('has its own names for headers, variables, timeouts, tools and sign-ins', () => {
    const text = `
[mcp_servers."with dots.and blanks"]
command = 'C:\\tools\\server.exe'
cwd = "/srv"
env_vars = ["SET", { name = "OTHER", source = "local" }]
startup_timeout_sec = 12.5
tool_timeout_sec = 600
enabled_tools = ["read", "list"]

[mcp_servers.remote]
url = "https://x.example/mcp"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Key" = "KEY_VAR" }
disabled_tools = ["drop"]
startup_timeout_ms = 2000
scopes = ["read"]
oauth = { client_id = "c-1" }

[mcp_servers.off]
url = "https://off.example/mcp"
enabled = false
`;
    const { found, leftOut } = read(text);
    expect(found).toMatchObject([
      {
        name: 'with dots.and blanks',
        draft: {
          command: String.raw`C:\tools\server.exe`,
          cwd: '/srv',
          env: { SET: '${SET}', OTHER: '${OTHER}' },
          connectTimeoutMs: 12_500,
          requestTimeoutMs: 600_000,
          toolFilter: { include: ['read', 'list'] },
        },
      },
      {
        signsIn: true,
        draft: {
          url: 'https://x.example/mcp',
          headers: { 'X-Region': 'eu', 'X-Key': '${KEY_VAR}' },
          connectTimeoutMs: 2_000,
          toolFilter: { exclude: ['drop'] },
          auth: { clientId: 'c-1', scopes: ['read'] },
        },
      },
    ]);
    expect(leftOut).toEqual([{ name: 'off', project: undefined, reason: 'it is switched off there.' }]);
  });

  it('reports the line of a TOML error', () => {
    expect(() => read('a = 1\n[mcp_servers.x\ncommand = "x"\n')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/config\.toml, line 2: not TOML: /) as string,
        data: { file: '/home/p/.codex/config.toml', line: 2 },
      }),
    );
  });
});

describe('mcporter 0.12.3, mcporter.json', () => {
  const read = readAs(readMcporter, '/home/p/.mcporter/mcporter.json');

  it('has mcpServers, with settings in camel case or snake case', () => {
    const text = `{
      "imports": [],
      "mcpServers": {
        "linear": { "description": "x", "baseUrl": "https://mcp.linear.app/mcp", "auth": "oauth", "oauthScope": "read write" },
        "snake": { "server_url": "https://s.example/mcp", "bearer_token": "abc", "allowed_tools": ["a"] },
        "env": { "url": "https://e.example/mcp", "headers": { "X-A": "$env:SET", "X-B": "a \${NONE:-b}" }, "bearerTokenEnv": "AUTH" },
        "line": { "command": "npx -y chrome-devtools-mcp@latest --flag 'a b'" },
        "list": { "command": ["uvx", "tool"], "cwd": "~/x", "blockedTools": ["b"] },
        "both": { "url": "https://b.example/mcp", "command": "x" }
      }
    }`;
    const { found } = read(text);
    expect(found.map(({ name, draft }) => [name, draft])).toEqual([
      ['linear', { url: 'https://mcp.linear.app/mcp', auth: { scopes: ['read', 'write'] } }],
      [
        'snake',
        {
          url: 'https://s.example/mcp',
          headers: { Authorization: 'Bearer abc' },
          toolFilter: { include: ['a'] },
        },
      ],
      [
        'env',
        {
          url: 'https://e.example/mcp',
          headers: { 'X-A': '${SET}', 'X-B': 'a b', Authorization: '${AUTH}' },
        },
      ],
      ['line', { command: 'npx', args: ['-y', 'chrome-devtools-mcp@latest', '--flag', 'a b'] }],
      ['list', { command: 'uvx', args: ['tool'], cwd: '/home/p/x', toolFilter: { exclude: ['b'] } }],
      ['both', { url: 'https://b.example/mcp' }],
    ]);
    expect(found.map(({ signsIn }) => signsIn)).toEqual([true, false, false, false, false, false]);
  });

  it('starts the servers of a project in the folder of its file', () => {
    const ofProject = readAs(readMcporter, '/home/p/proj/config/mcporter.json', '/home/p/proj');
    expect(ofProject('{"mcpServers":{"a":{"command":"./a.sh"}}}').found[0]!.draft).toEqual({
      command: './a.sh',
      cwd: '/home/p/proj/config',
    });
  });

  it('keeps references in client secrets', () => {
    const text = `{"mcpServers":{"a":{"url":"https://a.example/mcp","oauth_client_id":"c","oauthClientSecretEnv":"S"},
      "b":{"url":"https://b.example/mcp","oauthClientSecret":"\${SET}"}}}`;
    expect(read(text).found.map(({ draft }) => draft.auth)).toEqual([
      { clientId: 'c', clientSecret: '${S}' },
      { clientSecret: '${SET}' },
    ]);
  });
});

describe('OpenClaw 2026.9.6, openclaw.json', () => {
  const read = readAs(readOpenclaw, '/home/p/.openclaw/openclaw.json');

  it('is JSON5 with mcp.servers', () => {
    const text = `{
      gateway: { mode: 'local' }, // not ours
      mcp: {
        sessionIdleTtlMs: 60000,
        servers: {
          context7: { command: 'npx', args: ['-y', '@upstash/context7-mcp'], cwd: 'work', env: { KEY: '\${CTX_KEY}', DOLLAR: '$\${NOT_ME} $5' } },
          docs: {
            url: 'https://docs.example.com/mcp', transport: 'streamable-http',
            headers: { 'X-Key': { source: 'env', provider: 'default', id: 'DOCS_KEY' }, 'X-File': { source: 'file', provider: 'f', id: '/docs/key' } },
            connectionTimeoutMs: 15000, requestTimeoutMs: 90000, sslVerify: false,
            toolFilter: { include: ['read_*'], exclude: ['read_all'] },
          },
          notion: { url: 'https://mcp.notion.com/mcp', transport: 'sse', auth: 'oauth', oauth: { scope: 'read write' } },
          off: { url: 'https://off.example/mcp', enabled: false },
        },
      },
    }`;
    const { found, leftOut } = read(text);
    expect(found.map(({ draft }) => draft)).toEqual([
      {
        command: 'npx',
        args: ['-y', '@upstash/context7-mcp'],
        env: { KEY: '${CTX_KEY}', DOLLAR: '$${NOT_ME} $$5' },
        cwd: '/home/p/.openclaw/work',
      },
      {
        url: 'https://docs.example.com/mcp',
        headers: { 'X-Key': '${DOCS_KEY}', 'X-File': '${secret:DOCS_X_FILE}' },
        connectTimeoutMs: 15_000,
        requestTimeoutMs: 90_000,
        toolFilter: { include: ['read_*'], exclude: ['read_all'] },
      },
      { url: 'https://mcp.notion.com/mcp', auth: { scopes: ['read', 'write'] } },
    ]);
    expect(found[1]).toMatchObject({
      needs: [{ secret: 'DOCS_X_FILE', where: 'the value that OpenClaw reads from its file "/docs/key"' }],
      notes: ['sslVerify was left out: Pincer has no such setting.'],
    });
    expect(found.map(({ signsIn }) => signsIn)).toEqual([false, false, true]);
    expect(leftOut.map(({ name }) => name)).toEqual(['off']);
  });
});

describe('splitWords', () => {
  it.each([
    ['', []],
    ['npx  -y a', ['npx', '-y', 'a']],
    [`a "b c" 'd "e' ""`, ['a', 'b c', 'd "e', '']],
    [String.raw`a\ b "c\"d" 'e\f'`, ['a b', 'c"d', String.raw`e\f`]],
    ['"open end', ['open end']],
  ])('%j', (line, words) => expect(splitWords(line)).toEqual(words));
});
