import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guessClient } from './clients.ts';
import { locationsOf, type ClientId, type Place } from './locations.ts';

const place = (over: Partial<Place> = {}): Place => ({
  platform: 'linux',
  home: '/home/p',
  cwd: '/home/p/proj',
  env: {},
  ...over,
});
const files = (client: ClientId, over?: Partial<Place>): string[] =>
  locationsOf(client, place(over)).map(({ file }) => file);

describe('locationsOf', () => {
  it.each<[ClientId, string[]]>([
    ['openclaw', ['/home/p/.openclaw/openclaw.json']],
    ['claude-code', ['/home/p/proj/.mcp.json', '/home/p/.claude.json']],
    ['claude-desktop', ['/home/p/.config/Claude/claude_desktop_config.json']],
    ['cursor', ['/home/p/proj/.cursor/mcp.json', '/home/p/.cursor/mcp.json']],
    [
      'vscode',
      [
        '/home/p/proj/.vscode/mcp.json',
        '/home/p/.config/Code/User/mcp.json',
        '/home/p/.config/Code - Insiders/User/mcp.json',
      ],
    ],
    ['codex', ['/home/p/proj/.codex/config.toml', '/home/p/.codex/config.toml']],
    ['windsurf', ['/home/p/.codeium/windsurf/mcp_config.json']],
    [
      'mcporter',
      [
        '/home/p/proj/config/mcporter.json',
        '/home/p/.mcporter/mcporter.json',
        '/home/p/.mcporter/mcporter.jsonc',
      ],
    ],
  ])('returns the files of %s on Linux, the project first', (client, expected) => {
    expect(files(client)).toEqual(expected);
  });

  it('returns other folders on macOS and Windows', () => {
    expect(files('claude-desktop', { platform: 'darwin' })).toEqual([
      '/home/p/Library/Application Support/Claude/claude_desktop_config.json',
    ]);
    expect(files('vscode', { platform: 'win32', env: { APPDATA: '/roaming' } })[1]).toBe(
      '/roaming/Code/User/mcp.json',
    );
    expect(files('claude-desktop', { platform: 'win32' })).toEqual([
      join('/home/p/AppData/Roaming/Claude/claude_desktop_config.json'),
    ]);
  });

  it('respects the client’s own variables', () => {
    const env = {
      OPENCLAW_STATE_DIR: '/oc',
      CLAUDE_CONFIG_DIR: '/cc',
      CODEX_HOME: '/cx',
      XDG_CONFIG_HOME: '/xdg',
    };
    expect(files('openclaw', { env })).toEqual(['/oc/openclaw.json']);
    expect(files('openclaw', { env: { ...env, OPENCLAW_CONFIG_PATH: '/c.json' } })).toEqual(['/c.json']);
    expect(files('claude-code', { env }).at(-1)).toBe('/cc/.claude.json');
    expect(files('codex', { env }).at(-1)).toBe('/cx/config.toml');
    expect(files('claude-desktop', { env })).toEqual(['/xdg/Claude/claude_desktop_config.json']);
    expect(files('mcporter', { env })[1]).toBe('/xdg/mcporter/mcporter.json');
    expect(files('mcporter', { env: { MCPORTER_CONFIG: '/m.json' } }).slice(1)).toEqual(['/m.json']);
  });

  it('treats a file in the home folder as the person’s own, not a project’s', () => {
    expect(locationsOf('cursor', place({ cwd: '/home/p' }))).toEqual([
      { file: '/home/p/.cursor/mcp.json', project: undefined },
    ]);
  });
});

describe('guessClient', () => {
  it.each<[string, string, ClientId]>([
    ['/x/config.toml', '', 'codex'],
    ['/x/claude_desktop_config.json', '{}', 'claude-desktop'],
    ['/x/openclaw.json', '{}', 'openclaw'],
    ['/x/mcporter.json', '{}', 'mcporter'],
    ['/x/mcp_config.json', '{}', 'windsurf'],
    ['/x/.cursor/mcp.json', '{}', 'cursor'],
    ['/x/.vscode/mcp.json', '{}', 'vscode'],
    ['/x/.mcp.json', '{}', 'claude-code'],
    ['/x/.claude.json', '{}', 'claude-code'],
    ['/x/mcp.json', '{"servers":{}}', 'vscode'],
    ['/x/mcp.json', '{"mcp":{"servers":{}}}', 'openclaw'],
    ['/x/mcp.json', '{"mcpServers":{}}', 'claude-code'],
  ])('%s with %s: %s', (file, text, client) => expect(guessClient(file, text)).toBe(client));
});
