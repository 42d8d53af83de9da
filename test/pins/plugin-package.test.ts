/** What others rely on in the package of OpenClaw's plugin, beside its code. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import hub from '../../packages/hub/package.json' with { type: 'json' };
import manifest from '../../packages/openclaw-plugin/openclaw.plugin.json' with { type: 'json' };
import plugin from '../../packages/openclaw-plugin/package.json' with { type: 'json' };
import { parseConfigText } from '../../packages/hub/src/config/read-file.ts';
import { EXAMPLE } from '../kit/openclaw/example.ts';
import host from '../openclaw/package.json' with { type: 'json' };
import { verifies } from '../verifies.ts';

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN = join(ROOT, 'packages/openclaw-plugin');

/** Of `/mcp`. */
const COMMANDS = [
  'servers',
  'tools',
  'connect',
  'disconnect',
  'auth',
  'status',
  'refresh',
  'approvals',
  'accept',
];

interface Lock {
  packages: Record<
    string,
    {
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
      hasInstallScript?: boolean;
    }
  >;
}

describe('the package of the plugin', () => {
  it('needs Pincer of exactly its own version, and nothing else', () => {
    verifies('004-13-layout');
    expect(plugin.version).toBe(hub.version);
    expect(plugin.dependencies).toEqual({ pincer: plugin.version });
    expect(Object.keys(plugin).filter((key) => /bundle|^optional/i.test(key))).toEqual([]);
  });

  it('says which OpenClaw it needs, and brings none along', () => {
    verifies('004-6.1-host-version');
    const { pluginApi, minGatewayVersion } = plugin.openclaw.compat;
    expect(plugin.peerDependencies).toEqual({ openclaw: pluginApi });
    expect(plugin.peerDependenciesMeta).toEqual({ openclaw: { optional: true } });
    expect(pluginApi).toBe(`>=${minGatewayVersion}`);
    expect(plugin.openclaw.install.minHostVersion).toBe(pluginApi);
  });

  it('says that it was built for the OpenClaw that the tests run on', () => {
    const { openclaw: version } = host.dependencies;
    expect(plugin.openclaw.build).toEqual({ openclawVersion: version, pluginSdkVersion: version });
  });

  it('has one category, which is all that ClawHub takes', () => {
    expect(manifest.categories).toHaveLength(1);
  });

  it('imports nothing of OpenClaw', () => {
    const sources = globSync('src/**/*.ts', { cwd: PLUGIN });
    expect(sources.length).toBeGreaterThan(20);
    const imported = sources.filter((file) =>
      /(?:from|import\() *'openclaw/.test(readFileSync(join(PLUGIN, file), 'utf8')),
    );
    expect(imported).toEqual([]);
  });

  it('has no install script, nor has anything that comes with it', () => {
    for (const { scripts = {} } of [plugin, hub] as { scripts?: Record<string, string> }[])
      expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)/.test(name))).toEqual(
        [],
      );
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
    const needed = new Set<string>();
    const visit = (name: string): void => {
      if (needed.has(name)) return;
      needed.add(name);
      const { dependencies, optionalDependencies } = packages[`node_modules/${name}`]!;
      for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(next);
    };
    for (const name of Object.keys({ ...hub.dependencies, ...hub.optionalDependencies })) visit(name);
    expect(needed.size).toBeGreaterThan(1);
    expect([...needed].filter((name) => packages[`node_modules/${name}`]?.hasInstallScript)).toEqual([]);
  });
});

describe('the skill mcp', () => {
  const text = readFileSync(join(PLUGIN, 'skills/mcp/SKILL.md'), 'utf8');
  const [, head = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(text) ?? [];
  const field = (name: string): string =>
    new RegExp(`^${name}: (?:>-\\n)?([^]*?)(?=\\n[a-z-]+: |$(?![^]))`, 'm').exec(head)?.[1] ?? '';

  it('is found under its name, and hands its command to a tool of this plugin', () => {
    verifies('004-7.1-name', '004-7.1-dispatch');
    expect(field('name')).toBe('mcp');
    expect(field('user-invocable')).toBe('true');
    expect(field('command-dispatch')).toBe('tool');
    expect(manifest.contracts.tools).toContain(field('command-tool'));
    expect(field('command-arg-mode')).toBe('raw');
  });

  it('has a description that fits, and is there only while the plugin is', () => {
    verifies('004-7.1-metadata');
    expect(field('description')).toContain('Manage and use MCP');
    expect(field('metadata')).toContain('emoji');
    expect(field('description').length).toBeLessThan(1_024);
    expect(field('metadata')).toContain(`plugins.entries.${manifest.id}.enabled`);
  });

  it.each(COMMANDS)('knows /mcp %s', (command) => {
    verifies('004-7.1-commands');
    expect(body).toContain(`- \`/mcp ${command}`);
    expect(readFileSync(join(PLUGIN, 'README.md'), 'utf8')).toContain(`\`/mcp ${command}`);
  });
});

it('the skill tells agents when to use the tools, by which names, and what to say to a refusal', () => {
  verifies('004-7.1-relevance', '004-7.1-pattern', '004-7.1-auth-hint', '004-2-skill');
  const text = readFileSync(join(PLUGIN, 'skills/mcp/SKILL.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(text).toContain('Check whether one of them fits before you do a task another way');
  expect(text).toContain('regular tools named `<server>__<tool>`');
  expect(text).toMatch(/401, 403[^.]*: tell the person to type `\/mcp auth <server>`/);
});

describe('docs/openclaw.md', () => {
  const page = readFileSync(join(ROOT, 'docs/openclaw.md'), 'utf8');

  it('shows the example that the tests install', () => {
    const [, text = ''] = /```json5\n([^]*?)```/.exec(page) ?? [];
    const entry = { enabled: true, config: EXAMPLE };
    expect(parseConfigText(text, 'example')).toEqual({ plugins: { entries: { [manifest.id]: entry } } });
  });

  it('has every setting of the plugin, and every command', () => {
    for (const setting of Object.keys(manifest.configSchema.properties))
      expect(page).toContain(`| \`${setting}\``);
    for (const command of COMMANDS) expect(page).toContain(`| \`/mcp ${command}`);
    for (const { name } of manifest.cliCommands) expect(page).toContain(`\`openclaw ${name}`);
  });
});
