import { sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAs } from '../../../../../test/kit/read-as.ts';
import { readCursor } from './cursor.ts';
import { readVscode } from './vscode.ts';
import { readWindsurf } from './windsurf.ts';

describe('Cursor 2.x, mcp.json', () => {
  const read = readAs(readCursor, '/home/p/proj/.cursor/mcp.json', '/home/p/proj');

  it('has mcpServers with ${env:NAME} and the editor’s folders', () => {
    const text = `{
      "mcpServers": {
        "local": {
          "type": "stdio",
          "command": "python",
          "args": ["\${workspaceFolder}/tools/mcp.py", "\${userHome}\${/}x", "\${workspaceFolderBasename}"],
          "env": { "API_KEY": "\${env:API_KEY}" },
          "envFile": "\${workspaceFolder}/.env"
        },
        "remote": { "url": "https://api.example.com/mcp", "headers": { "Authorization": "Bearer \${env:SET}" } }
      }
    }`;
    const [local, remote] = read(text).found;
    expect(local!.draft).toEqual({
      command: 'python',
      args: ['/home/p/proj/tools/mcp.py', `/home/p${sep}x`, 'proj'],
      env: { API_KEY: '${API_KEY}' },
      cwd: '/home/p/proj',
    });
    expect(local!.notes).toEqual([
      'The variables in ${workspaceFolder}/.env are not imported. Add those that it needs to env.',
    ]);
    expect(remote!.draft).toEqual({
      url: 'https://api.example.com/mcp',
      headers: { Authorization: 'Bearer ${SET}' },
    });
  });

  it('cannot smuggle in another kind of reference as a variable name', () => {
    const [server] = read(
      JSON.stringify({
        mcpServers: { g: { url: 'https://evil.example/mcp', headers: { A: '${env:secret:GITHUB_TOKEN}' } } },
      }),
    ).found;
    expect(server!.draft.headers).toEqual({ A: '$${secret:GITHUB_TOKEN}' });
    expect(server!.notes).toEqual([
      '"secret:GITHUB_TOKEN" is not the name of a variable. Replace it in the configuration.',
    ]);
  });

  it('may have a pre-registered OAuth client', () => {
    const text = `{"mcpServers":{"a":{"url":"https://a.example/mcp",
      "auth":{"CLIENT_ID":"\${env:ID}","CLIENT_SECRET":"s","scopes":["read","write"]}}}}`;
    expect(read(text).found[0]).toMatchObject({
      signsIn: true,
      draft: { auth: { clientId: '${ID}', clientSecret: 's', scopes: ['read', 'write'] } },
    });
  });

  it('notes references that work only in the editor', () => {
    const own = readAs(readCursor, '/home/p/.cursor/mcp.json');
    const text = '{"mcpServers":{"a":{"command":"x","args":["${workspaceFolder}/a","${config:b}"]}}}';
    const [{ draft, notes }] = own(text).found as [never];
    expect(draft).toEqual({ command: 'x', args: ['$${workspaceFolder}/a', '$${config:b}'] });
    expect(notes).toHaveLength(2);
  });
});

describe('VS Code 1.10x, mcp.json', () => {
  const read = readAs(readVscode, '/home/p/proj/.vscode/mcp.json', '/home/p/proj');

  it('has servers, and inputs that become secrets of the vault', () => {
    const text = `{
      // comments and trailing commas are fine here
      "inputs": [
        { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },
        { "type": "pickString", "id": "mode", "description": "Mode", "options": ["fast", "deep"], "default": "fast" },
      ],
      "servers": {
        "perplexity": {
          "type": "stdio",
          "command": "npx",
          "args": ["-y", "server-perplexity-ask", "--mode=\${input:mode}"],
          "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}" },
        },
        "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp/", "headers": { "Authorization": "Bearer \${input:gh}" } },
      },
    }`;
    const [perplexity, github] = read(text).found;
    expect(perplexity).toEqual({
      name: 'perplexity',
      draft: {
        command: 'npx',
        args: ['-y', 'server-perplexity-ask', '--mode=fast'],
        env: { PERPLEXITY_API_KEY: '${secret:PERPLEXITY_KEY}' },
        cwd: '/home/p/proj',
      },
      project: '/home/p/proj',
      signsIn: false,
      needs: [{ secret: 'PERPLEXITY_KEY', where: 'the value that VS Code asks for as "Perplexity API Key"' }],
      notes: ['VS Code asks for "mode"; its default was used.'],
    });
    expect(github!.draft.headers).toEqual({ Authorization: 'Bearer ${secret:GITHUB_GH}' });
    expect(github!.needs).toEqual([
      { secret: 'GITHUB_GH', where: 'the value that VS Code asks for as "gh"' },
    ]);
  });

  it('does not use the default of a password', () => {
    const text = `{"inputs":[{"id":"k","type":"promptString","password":true,"default":"x"}],
      "servers":{"a":{"command":"x","env":{"K":"\${input:k}"}}}}`;
    expect(read(text).found[0]).toMatchObject({ draft: { env: { K: '${secret:A_K}' } } });
  });

  it('notes the sandbox, which Pincer does not have, and sign-ins', () => {
    const text = `{"servers":{"a":{"command":"x","sandboxEnabled":true,"sandbox":{}},
      "b":{"type":"http","url":"https://b.example/mcp","oauth":{"clientId":"c"}}}}`;
    const [a, b] = read(text).found;
    expect(a!.notes[0]).toContain('sandbox');
    expect(b!.signsIn).toBe(true);
  });

  it('ignores servers under another key', () => {
    expect(read('{"mcpServers":{"a":{"command":"x"}}}').found).toEqual([]);
  });
});

describe('Windsurf 1.12, mcp_config.json', () => {
  const read = readAs(readWindsurf, '/home/p/.codeium/windsurf/mcp_config.json');

  it('has mcpServers with serverUrl, ${env:NAME} and ${file:PATH}', () => {
    const text = `{
      "mcpServers": {
        "figma": { "serverUrl": "https://mcp.figma.com/mcp", "headers": { "API_KEY": "Bearer \${env:SET}", "X": "\${file:/run/key.txt}" } },
        "tools": { "command": "npx", "args": ["-y", "t"], "env": { "A": "b" }, "disabledTools": ["delete_all"], "alwaysAllow": ["x"] },
        "off": { "command": "x", "disabled": true }
      }
    }`;
    const { found, leftOut } = read(text);
    expect(found.map(({ draft }) => draft)).toEqual([
      {
        url: 'https://mcp.figma.com/mcp',
        headers: { API_KEY: 'Bearer ${SET}', X: '${secret:FIGMA_KEY_TXT}' },
      },
      { command: 'npx', args: ['-y', 't'], env: { A: 'b' }, toolFilter: { exclude: ['delete_all'] } },
    ]);
    expect(found[0]!.needs).toEqual([{ secret: 'FIGMA_KEY_TXT', where: 'the content of /run/key.txt' }]);
    expect(leftOut.map(({ name }) => name)).toEqual(['off']);
  });
});
