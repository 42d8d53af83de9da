/** Our plugin as it was installed from its package: what OpenClaw took of it, and its commands on the command line. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openclaw, openclawOk } from '../kit/openclaw/cli.ts';
import { EXAMPLE } from '../kit/openclaw/example.ts';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { PLUGIN_ID } from '../kit/openclaw/plugin.ts';
import { temporaryFolder, type TemporaryFolder } from '../kit/temporary-folder.ts';
import type { JsonObject } from '../servers/json.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterAll(() => operator[Symbol.asyncDispose]());

/** Another configuration of the same OpenClaw, which knows of no gateway, with a folder of its own for Pincer. */
function otherConfig(folder: TemporaryFolder, entry: object) {
  const file = join(folder.path, 'openclaw.json');
  const { mcp: _mcp, gateway, ...config } = profile.readConfig();
  const before = {
    ...config,
    gateway: { ...(gateway as JsonObject), port: 9 },
    plugins: { entries: { [PLUGIN_ID]: entry } },
  };
  writeFileSync(file, JSON.stringify(before));
  const env = { OPENCLAW_CONFIG_PATH: file, PINCER_HOME: join(folder.path, 'mcp') };
  return { before, env, read: () => JSON.parse(readFileSync(file, 'utf8')) as JsonObject };
}

// The command of the host loads everything before it does anything: two at once.
test.concurrent('the example is taken as it is, and `openclaw pincer` is Pincer with all its words', async () => {
  verifies('004-6.1-package', '004-6.3-example', '004-6.3-stdio-server');
  using folder = temporaryFolder('example');
  const { before, env, read } = otherConfig(folder, { enabled: true, config: EXAMPLE });
  const { exitCode, stdout, stderr } = await openclaw(profile, ['pincer', 'list', '--json'], { env });
  expect(exitCode, stderr).toBe(0);
  const { servers } = JSON.parse(stdout) as { servers: { name: string }[] };
  expect(servers.map(({ name }) => name)).toEqual(Object.keys(EXAMPLE.servers));
  expect(read()).toEqual(before);
});

test.concurrent('setup writes the consent that the prompt hook needs, and nothing else', async () => {
  using folder = temporaryFolder('setup');
  const entry = { enabled: true, config: EXAMPLE };
  const { before, env, read } = otherConfig(folder, entry);
  await openclawOk(profile, ['pincer', 'setup', '--yes'], { env });
  const hooks = { allowConversationAccess: true };
  expect({ ...read(), meta: undefined }).toEqual({
    ...before,
    meta: undefined,
    plugins: { entries: { [PLUGIN_ID]: { ...entry, hooks } } },
  });
});

test.concurrent('the skill is gone while the plugin is off', async () => {
  verifies('004-7.2-gate-off');
  using folder = temporaryFolder('off');
  const { env } = otherConfig(folder, { enabled: false });
  const { skills } = JSON.parse(await openclawOk(profile, ['skills', 'list', '--json'], { env })) as {
    skills: { name: string; eligible: boolean }[];
  };
  expect(skills.length).toBeGreaterThan(0);
  expect(skills.filter(({ name, eligible }) => name === 'mcp' && eligible)).toEqual([]);
});

test('OpenClaw lists the plugin with a name and what it does', async () => {
  verifies('004-6.1-catalog');
  const { plugins } = await operator.rpc('plugins.list', {});
  const listed = (plugins as JsonObject[]).find(({ id }) => id === PLUGIN_ID);
  expect(listed).toMatchObject({ enabled: true, name: 'MCP Client (Pincer)' });
  expect(listed?.['description']).toContain('MCP servers for all');
});

test('agents are told of the skill', async () => {
  verifies('004-2-skill', '004-7.2-gate-on');
  await operator.chat('agent:main:install', 'which skills?');
  const [asked] = await host.asked('which skills?');
  expect(asked?.system).toMatch(/<name>mcp<\/name>\s*<description>Manage and use MCP/);
});

test('no install script came with it', () => {
  const lock = join(profile.state, 'extensions', PLUGIN_ID, 'node_modules', '.package-lock.json');
  const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, JsonObject> };
  expect(Object.keys(packages)).toContain('node_modules/pincer');
  expect(Object.values(packages).filter(({ hasInstallScript }) => hasInstallScript === true)).toEqual([]);
});
