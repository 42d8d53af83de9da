import { describe, expect, it } from 'vitest';
import { readAs } from '../../../../../test/kit/read-as.ts';
import { readClaudeCode } from './claude-code.ts';
import { readClaudeDesktop } from './claude-desktop.ts';

describe('Claude Desktop 1.x, claude_desktop_config.json', () => {
  const read = readAs(readClaudeDesktop, '/home/p/.config/Claude/claude_desktop_config.json');

  it('has commands under mcpServers, beside other settings', () => {
    const text = `{
      "globalShortcut": "Ctrl+Space",
      "mcpServers": {
        "filesystem": {
          "command": "npx",
          "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/p/Desktop"]
        },
        "brave-search": {
          "command": "npx",
          "args": ["-y", "@modelcontextprotocol/server-brave-search"],
          "env": { "BRAVE_API_KEY": "BSA-x" }
        }
      }
    }`;
    expect(read(text).found).toEqual([
      {
        name: 'filesystem',
        draft: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/p/Desktop'] },
        project: undefined,
        signsIn: false,
        needs: [],
        notes: [],
      },
      expect.objectContaining({
        name: 'brave-search',
        draft: {
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-brave-search'],
          env: { BRAVE_API_KEY: 'BSA-x' },
        },
      }),
    ]);
  });

  it('has no references, so a dollar sign is literal', () => {
    const text = '{"mcpServers":{"a":{"command":"x","args":["${HOME}","$5"],"env":{"P":"pa$$word"}}}}';
    expect(read(text).found[0]!.draft).toEqual({
      command: 'x',
      args: ['$${HOME}', '$$5'],
      env: { P: 'pa$$$$word' },
    });
  });

  it('leaves out variables that could run other code, with a note', () => {
    const text = '{"mcpServers":{"a":{"command":"x","env":{"NODE_OPTIONS":"--require evil.js","A":"1"}}}}';
    const [{ draft, notes }] = read(text).found as [never];
    expect(draft).toEqual({ command: 'x', env: { A: '1' } });
    expect(notes).toEqual(['NODE_OPTIONS was left out: Pincer passes it to no server.']);
  });

  it.each([
    ['{"mcpServers":{"a":{}}}', 'it has neither a command nor a URL.'],
    ['{"mcpServers":{"a":{"command":""}}}', 'it has neither a command nor a URL.'],
    ['{"mcpServers":{"a":"npx"}}', 'it is not an object.'],
    ['{"mcpServers":{"a":{"command":"x","disabled":true}}}', 'it is switched off there.'],
    [
      '{"mcpServers":{"a":{"type":"ws","url":"wss://a.example"}}}',
      'it uses the transport "ws", which Pincer does not support.',
    ],
  ])('leaves out %s with the reason', (text, reason) => {
    expect(read(text)).toEqual({ found: [], leftOut: [{ name: 'a', project: undefined, reason }] });
  });

  it.each(['', '{}', '[]', '{"mcpServers":[]}', '\uFEFF{"mcpServers":{}}'])('%j has no servers', (text) => {
    expect(read(text)).toEqual({ found: [], leftOut: [] });
  });

  it.each([
    ['{\n  "mcpServers": {\n    "a": }\n}', 3],
    ['{', 1],
    ['{"a": 1}\n\nx', 3],
  ])('reports the line of the error in %j', (text, line) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(`claude_desktop_config.json, line ${line}: not JSON`) as string,
        data: { file: '/home/p/.config/Claude/claude_desktop_config.json', line },
      }),
    );
  });
});

describe('Claude Code 2.1.325, .mcp.json of a project', () => {
  const read = readAs(readClaudeCode, '/home/p/proj/.mcp.json', '/home/p/proj');

  it('has programs, HTTP and SSE servers, with ${NAME} and ${NAME:-default}', () => {
    const text = `{
      "mcpServers": {
        "api": {
          "type": "http",
          "url": "\${API_URL:-https://api.example.com}/mcp",
          "headers": { "Authorization": "Bearer \${SET}" }
        },
        "old": { "type": "sse", "url": "https://old.example.com/sse" },
        "db": { "command": "./db.sh", "args": ["\${UNSET}", "$1"], "env": { "PORT": 5432 } }
      }
    }`;
    const { found } = read(text);
    expect(found.map(({ draft }) => draft)).toEqual([
      { url: 'https://api.example.com/mcp', headers: { Authorization: 'Bearer ${SET}' } },
      { url: 'https://old.example.com/sse' },
      { command: './db.sh', args: ['${UNSET}', '$$1'], env: { PORT: '5432' }, cwd: '/home/p/proj' },
    ]);
    expect(found[0]!.notes).toEqual(['API_URL is not set here, so its default was used.']);
  });

  it('has no projects', () => {
    expect(read('{"projects":{"/x":{"mcpServers":{"a":{"command":"x"}}}}}').found).toEqual([]);
  });
});

describe('Claude Code 2.1.325, ~/.claude.json', () => {
  const read = readAs(readClaudeCode, '/home/p/.claude.json');

  it('has servers for all projects and for single ones; those of this project come first', () => {
    const text = `{
      "numStartups": 12,
      "mcpServers": { "u1": { "type": "stdio", "command": "npx", "args": ["-y", "foo"], "env": { "API_KEY": "abc" } } },
      "projects": {
        "/srv/other": { "allowedTools": [], "mcpServers": { "far": { "type": "stdio", "command": "x", "args": [], "env": {} } } },
        "/home/p/proj": {
          "mcpServers": { "loc": { "type": "http", "url": "https://x.example/mcp", "headers": { "Authorization": "Bearer t" } },
                          "gone": { "command": "x" } },
          "enabledMcpjsonServers": [], "disabledMcpjsonServers": [], "disabledMcpServers": ["gone"]
        }
      }
    }`;
    const { found, leftOut } = read(text);
    expect(found.map(({ name, project, draft }) => [name, project, draft.cwd])).toEqual([
      ['loc', '/home/p/proj', undefined],
      ['u1', undefined, undefined],
      ['far', '/srv/other', '/srv/other'],
    ]);
    expect(leftOut).toEqual([{ name: 'gone', project: '/home/p/proj', reason: 'it is switched off there.' }]);
  });

  it('reports sign-ins, and headers from a program', () => {
    const text = `{"mcpServers":{
      "a": {"type":"http","url":"https://a.example/mcp","oauth":{"clientId":"c-1","callbackPort":8080}},
      "b": {"type":"http","url":"https://b.example/mcp","headersHelper":"/bin/get-headers.sh"}}}`;
    const [a, b] = read(text).found;
    expect(a).toMatchObject({ signsIn: true, draft: { auth: { clientId: 'c-1' } } });
    expect(b!.notes).toEqual(['It gets headers from a program (headersHelper), which Pincer does not run.']);
  });
});
