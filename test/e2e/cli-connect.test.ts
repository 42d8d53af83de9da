import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseJson, parseToml } from '../../packages/hub/src/config/import/parse.ts';
import { ENTRY, readHubFile } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { openPersonHome, type PersonHome } from '../kit/person-home.ts';
import { openStdio } from '../kit/stdio.ts';
import { stdioServer } from '../kit/servers.ts';
import { verifies } from '../verifies.ts';

const CLIENTS = [
  ['claude-code', '.claude.json'],
  ['claude-desktop', '.config/Claude/claude_desktop_config.json'],
  ['cursor', '.cursor/mcp.json'],
  ['vscode', '.config/Code/User/mcp.json'],
  ['codex', '.codex/config.toml'],
  ['gemini', '.gemini/settings.json'],
  ['windsurf', '.codeium/windsurf/mcp_config.json'],
  ['openclaw', '.openclaw/openclaw.json'],
  ['mcporter', '.mcporter/mcporter.json'],
  ['inspector', '.mcp-inspector/mcp.json'],
] as const;

const read = (person: PersonHome, path: string): Record<string, unknown> =>
  (path.endsWith('.toml') ? parseToml : parseJson)(person.read(path), path) as Record<string, unknown>;

interface Entry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Finds the entry in each client's format. */
const entryOf = (config: Record<string, unknown>): Entry => {
  const { mcpServers, servers, mcp_servers, mcp } = config as Record<string, Record<string, Entry>>;
  const inside = (mcp?.['servers'] as unknown as Record<string, Entry> | undefined) ?? {};
  return (mcpServers ?? servers ?? mcp_servers ?? inside)['pincer']!;
};

describe('connect', () => {
  it('lists the clients, which are installed, and which are connected to Pincer', async () => {
    await using person = openPersonHome();
    person.write('.cursor/mcp.json', {});
    person.write('.gemini/settings.json', {
      mcpServers: { hub: { url: 'http://127.0.0.1:8765/mcp', type: 'http' } },
    });
    const { stdout } = await person.run(['connect'], { env: { PATH: '/nowhere' } });
    expect(stdout).toMatch(/^○ {2}cursor +Cursor +Not connected +~\/\.cursor\/mcp\.json$/m);
    expect(stdout).toMatch(/^● {2}gemini +Gemini CLI +Connected/m);
    expect(stdout).toMatch(/^- {2}codex +Codex +Not found here/m);
    expect(stdout).toContain('2 clients found, 1 connected.');
  });

  it('prints only the snippet on stdout, without a token, and changes nothing', async () => {
    await using person = openPersonHome();
    const { code, stdout, stderr } = await person.run(['connect', 'cursor']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      mcpServers: {
        pincer: { command: process.execPath, args: [ENTRY, 'stdio'], env: { PINCER_HOME: person.cli.path } },
      },
    });
    expect(stderr).toContain('pincer connect cursor --write');
    expect(await person.run(['connect', 'claude-code'])).toMatchObject({
      stdout: `claude mcp add --scope user --transport http pincer http://127.0.0.1:8765/mcp --header "Authorization: Bearer $(cat ${person.cli.path}/mcp-token.txt)"\n`,
    });
    expect(() => person.read('.cursor/mcp.json')).toThrow('ENOENT');
  });

  it.each(CLIENTS)('writes a working MCP command into the file of %s, once', async (client, file) => {
    verifies('000-access-copilot');
    await using person = openPersonHome();
    const first = await person.run(['connect', client, '--stdio', '--write']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('is connected') as string });
    const { command, args, env } = entryOf(read(person, file));
    expect({ command, args, env }).toEqual({
      command: process.execPath,
      args: [ENTRY, 'stdio'],
      env: { PINCER_HOME: person.cli.path },
    });
    const text = person.read(file);
    expect(await person.run(['connect', client, '--stdio', '--write'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is already connected') as string,
      stderr: '',
    });
    expect(person.read(file)).toBe(text);
  });

  it('writes a command that starts and finds the servers', async () => {
    verifies('000-access-copilot');
    await using person = openPersonHome();
    person.cli.configure({ x: stdioServer() });
    await person.run(['connect', 'cursor', '--server', 'x', '--write']);
    const { mcpServers } = read(person, '.cursor/mcp.json') as { mcpServers: Record<string, Entry> };
    await using client = openStdio(mcpServers['pincer-x']!);
    const answer = await client.ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(JSON.stringify(answer)).toContain('echo');
    expect(await person.run(['connect', 'cursor', '--server', 'y'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('with a URL uses the running hub, and writes the token only into private files', async () => {
    await using person = openPersonHome();
    expect(await person.run(['connect', 'windsurf', '--http', '--write'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no token') as string,
    });
    person.cli.start(['up', '--port', '0'], { env: person.env });
    await eventually(() => person.cli.hubPid() !== undefined);
    const { mcp } = readHubFile(person.cli.path)!['endpoints'] as { mcp: string };
    person.write('.codeium/windsurf/mcp_config.json', '{\n  // mine\n  "mcpServers": {}\n}\n');
    const { stdout, stderr } = await person.run(['connect', 'windsurf', '--http', '--write']);
    const token = readFileSync(join(person.cli.path, 'mcp-token.txt'), 'utf8');
    expect(stdout + stderr).not.toContain(token);
    expect(stdout).toMatch(/^\+ .*"serverUrl"/m);
    const text = person.read('.codeium/windsurf/mcp_config.json');
    expect(text).toContain('// mine');
    expect(entryOf(read(person, '.codeium/windsurf/mcp_config.json'))).toEqual({
      serverUrl: mcp,
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(person.mode('.codeium/windsurf/mcp_config.json')).toBe(0o600);
    expect(person.read('.codeium/windsurf/mcp_config.json.before-pincer')).not.toContain(token);
    const shown = await person.run(['connect', 'cursor', '--http', '--show-token']);
    expect(shown.stdout).toContain(`Bearer ${token}`);
    const { document } = await person.json(['connect', 'vscode', '--http', '--write']);
    expect(document).toMatchObject({ ok: true, written: true, changed: true });
    expect(person.read('.config/Code/User/mcp.json')).not.toContain(token);
  });

  it('refuses a broken file, and leaves it and a link unchanged', async () => {
    await using person = openPersonHome();
    person.write('.cursor/mcp.json', '{ "mcpServers": {\n');
    const { code, stderr } = await person.run(['connect', 'cursor', '--write']);
    expect(code).toBe(1);
    expect(stderr).toContain('line 2: not JSON');
    expect(stderr).toContain('"mcpServers"');
    expect(person.read('.cursor/mcp.json')).toBe('{ "mcpServers": {\n');
    const real = person.write('dotfiles/settings.json', '{}');
    person.write('.gemini/other', '');
    symlinkSync(real, join(person.folder, '.gemini/settings.json'));
    expect(await person.run(['connect', 'gemini', '--write'])).toMatchObject({ code: 0 });
    expect(lstatSync(join(person.folder, '.gemini/settings.json')).isSymbolicLink()).toBe(true);
    expect(person.read('dotfiles/settings.json')).toContain('pincer');
    expect(await person.run(['connect', 'claude-desktop', '--http'])).toMatchObject({ code: 2, stdout: '' });
    expect(await person.run(['connect', 'cursor', '--http', '--stdio'])).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});
