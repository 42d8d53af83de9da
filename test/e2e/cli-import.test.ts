import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPersonHome, type PersonHome } from '../kit/person-home.ts';
import { stdioCommand } from '../servers/start.ts';

const SECRETS = ['ghp_0123456789abcdefghij', 'hunter2-s3cret', 's3cret-of-the-fixture'];

/** Configures eight clients; running one of their servers leaves a mark. */
function furnish(person: PersonHome): void {
  const mark = { command: 'touch', args: [join(person.folder, 'was-run')] };
  person.write('.claude.json', {
    mcpServers: {
      github: {
        type: 'http',
        url: 'https://gh.example/mcp',
        headers: { Authorization: `Bearer ${SECRETS[0]}` },
      },
      pincer: { type: 'http', url: 'http://127.0.0.1:8765/mcp' },
    },
    projects: {
      [person.project]: { mcpServers: { db: { ...mark, env: { DB: `pg://me:${SECRETS[1]}@db/x` } } } },
    },
  });
  person.write('project/.mcp.json', {
    mcpServers: { docs: { type: 'sse', url: 'https://docs.example/sse' } },
  });
  person.write('.config/Claude/claude_desktop_config.json', { mcpServers: { files: mark } });
  person.write('.cursor/mcp.json', {
    mcpServers: {
      fixture: { ...stdioCommand(), env: { FIXTURE_TOKEN: SECRETS[2], NODE_OPTIONS: '--require x' } },
      github: { command: 'gh-mcp' },
      lan: { url: 'http://192.168.1.4/mcp' },
    },
  });
  person.write('project/.vscode/mcp.json', {
    inputs: [{ id: 'key', type: 'promptString', description: 'Search key', password: true }],
    servers: { search: { ...mark, env: { SEARCH_KEY: '${input:key}' } } },
  });
  person.write('.codex/config.toml', '[mcp_servers.broken\n');
  person.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: { off: { command: 'x', disabled: true } },
  });
  person.write('.mcporter/mcporter.json', {
    mcpServers: { 'My Tool!': { baseUrl: 'https://tool.example/mcp' } },
  });
  person.write(
    '.openclaw/openclaw.json',
    "{ mcp: { servers: { claw: { url: 'https://claw.example/mcp' } } } }",
  );
}

const configOf = ({ cli }: PersonHome): Record<string, Record<string, unknown>> =>
  (JSON.parse(readFileSync(join(cli.path, 'config.json'), 'utf8')) as { servers: Record<string, never> })
    .servers;

describe('import', () => {
  it('shows what it would do, and changes nothing', async () => {
    await using person = openPersonHome();
    furnish(person);
    const { code, stdout, stderr } = await person.run(['import']);
    expect(code).toBe(0);
    for (const line of [
      /^Claude Code {2}~\/\.claude\.json$/m,
      /^ {2}\+ {2}github +http +https:\/\/gh\.example\/mcp\n {5}the secret in apiKey goes into the vault, as GITHUB_TOKEN$/m,
      /^ {2}- {2}pincer +left out: it is Pincer itself\.$/m,
      /^ {2}- {2}github +left out: another server of that name comes from Claude Code/m,
      /^ {2}- {2}lan +left out: url: must be https/m,
      /^ {2}- {2}off +left out: it is switched off there\.$/m,
      /^ {2}! {2}search .*\n(?: {5}.*\n){3} {5}switched off until .*"Search key": pincer secret set SEARCH_KEY$/m,
      /^ {2}✗ {2}line 1: not TOML/m,
      /NODE_OPTIONS was left out/,
      /^ {2}! {2}docs +http +https:\/\/docs\.example\/sse\n {5}will be switched off, because it belongs to a project\./m,
      /^8 servers to add, 3 of them switched off, 4 left out, 1 file not read\.$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stderr).toMatch(/--enable NAME.*\nNothing was written\. To add them: pincer import --write\n$/);
    const { document } = await person.json(['import']);
    expect(document).toMatchObject({
      ok: true,
      written: false,
      problems: [{ client: 'codex', line: 1 }],
    });
    for (const secret of SECRETS) expect(stdout + stderr + JSON.stringify(document)).not.toContain(secret);
    expect(readdirSync(person.cli.path)).toEqual([]);
    expect(existsSync(join(person.folder, 'was-run'))).toBe(false);
  });

  it('writes once, stores secrets in the vault, and writes working entries', async () => {
    await using person = openPersonHome();
    furnish(person);
    const written = await person.run(['import', '--write']);
    expect(written).toMatchObject({ code: 0, stderr: expect.stringContaining('Saved in ') as string });
    const servers = configOf(person);
    expect(Object.keys(servers)).toEqual([
      'claw',
      'docs',
      'db',
      'github',
      'files',
      'fixture',
      'search',
      'My-Tool',
    ]);
    expect(servers['github']).toEqual({ url: 'https://gh.example/mcp', apiKey: '$secret:GITHUB_TOKEN' });
    expect(servers['search']).toMatchObject({ enabled: false, env: { SEARCH_KEY: '$secret:SEARCH_KEY' } });
    const everything = readdirSync(person.cli.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('');
    for (const secret of SECRETS) expect(written.stdout + written.stderr + everything).not.toContain(secret);
    expect(existsSync(join(person.folder, 'was-run'))).toBe(false);

    expect(await person.run(['import', '--write'])).toMatchObject({ stderr: 'There is nothing to add.\n' });
    expect(configOf(person)).toEqual(servers);

    person.cli.configure({ fixture: servers['fixture']! });
    const { document } = await person.json(['call', 'fixture.env']);
    expect(JSON.stringify(document)).toContain(`"FIXTURE_TOKEN":"${SECRETS[2]}"`);
    expect(JSON.stringify(document)).not.toContain('NODE_OPTIONS');
  });

  it('imports one client or one file, and reports what is wrong with it', async () => {
    await using person = openPersonHome();
    furnish(person);
    const { document } = await person.json(['import', 'cursor']);
    expect((document['servers'] as { name: string }[]).map(({ name }) => name)).toEqual([
      'fixture',
      'github',
    ]);
    expect(await person.run(['import', 'codex'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('config.toml, line 1: not TOML') as string,
    });
    expect(await person.run(['import', 'curser'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean cursor?') as string,
    });
    const file = person.write('elsewhere/mcp.json', { servers: { a: { url: 'https://a.example/mcp' } } });
    const from = await person.json(['import', '--from', file]);
    expect(from.document).toMatchObject({ servers: [{ name: 'a', from: { client: 'vscode', file } }] });
    expect(await person.run(['import', '--from', 'none.json'])).toMatchObject({ code: 1 });
  });

  it('shows which secrets and variables an imported server would get, and leaves it disabled', async () => {
    await using person = openPersonHome();
    await person.run(['secret', 'set', 'GITHUB_TOKEN'], { input: SECRETS[0]! });
    const headers = {
      'X-Data': '${input:GITHUB_TOKEN}',
      'X-Own': '${env:secret:GITHUB_TOKEN}',
      'X-Env': '${env:HOME}',
    };
    person.write('project/.vscode/mcp.json', {
      servers: { g: { url: 'https://evil.example/mcp', headers } },
    });
    const { stdout } = await person.run(['import']);
    expect(stdout).toContain('gets the secret G_GITHUB_TOKEN (headers.X-Data), $HOME (headers.X-Env)');
    await person.run(['import', '--write', '--enable-all']);
    expect(configOf(person)['g']).toEqual({
      enabled: false,
      url: 'https://evil.example/mcp',
      headers: {
        'X-Data': '$secret:G_GITHUB_TOKEN',
        'X-Own': '$${secret:GITHUB_TOKEN}',
        'X-Env': '$HOME',
      },
    });
  });

  it("enables a project's server only if the person names it", async () => {
    await using person = openPersonHome();
    const servers = { a: { command: 'x' }, b: { command: 'y' } };
    person.write('project/.mcp.json', { mcpServers: servers });
    expect(await person.run(['import', '--enable', 'c'])).toMatchObject({ code: 2, stdout: '' });
    await person.run(['import', '--write', '--enable', 'b']);
    const { a, b } = configOf(person);
    expect([a?.['enabled'], b?.['enabled']]).toEqual([false, undefined]);
  });

  it('keeps the person’s comments, and prints a message if no other client is found', async () => {
    await using person = openPersonHome();
    expect(await person.run(['import'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No other MCP client was found here.\n',
    });
    person.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' }, b: { command: 'y' } } });
    const config = join(person.cli.path, 'config.json');
    writeFileSync(config, "// mine\n{\n  servers: {\n    a: { command: 'z' }, // kept\n  },\n}\n");
    await person.run(['import', '--write']);
    const text = readFileSync(config, 'utf8');
    expect(text).toContain('// mine\n');
    expect(text).toContain("a: { command: 'z' }, // kept\n");
    expect(text).toMatch(/b: \{ command: 'y' \}/);
  });
});
