/** Runs every block of docs/device.md and docs/device-commands.md. */
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCapabilities } from '../../packages/hub/src/device/capabilities.ts';
import { startDesktop, type Desktop } from '../kit/desktop.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { ENTRY, readHubFile } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { openShell, type Shell, type Terminal } from '../kit/shell.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = openDocPage('device.md');
const commandsPage = openDocPage('device-commands.md');
let desktop: Desktop;
let shell: Shell;
let hub: Terminal;
let host = '';

const block = (language: string, about: string): string =>
  page.take(language, about).replaceAll('127.0.0.1:8765', host);
const home = (): string => join(shell.folder, '.openclaw/mcp');

const CONFIG = {
  device: {
    port: 0,
    capabilities: { camera: true, location: true, clipboard: true },
    position: { latitude: 52.5, longitude: 13.4 },
    browser: { args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'] },
  },
  proxy: { enabled: false },
};

async function start(commands: string): Promise<Terminal> {
  const terminal = shell.start(commands);
  expect(await eventually(() => readHubFile(home()) !== undefined, 30_000)).toBe(true);
  const { mcp } = readHubFile(home())!['endpoints'] as { mcp: string };
  ({ host } = new URL(mcp));
  return terminal;
}

beforeAll(async () => {
  desktop = await startDesktop();
  shell = openShell({ pincer: ENTRY });
  Object.assign(shell.env, desktop.env);
  mkdirSync(home(), { recursive: true, mode: 0o700 });
  mkdirSync(join(shell.folder, 'notes'));
  mkdirSync(join(shell.folder, 'node_modules'));
  for (const [name, folder] of [
    ['pincer', 'packages/hub'],
    ['zod', 'node_modules/zod'],
  ] as const)
    symlinkSync(join(ROOT, folder), join(shell.folder, 'node_modules', name));
  await shell.run('git init -q notes');
  shell.write('.openclaw/mcp/config.json', JSON.stringify(CONFIG));
  hub = await start(block('sh', 'pincer up'));
});
afterAll(async () => {
  await shell[Symbol.asyncDispose]();
  await desktop[Symbol.asyncDispose]();
});

it('starts, lists the capabilities, and takes a screenshot once it is switched on', async () => {
  const printed = await shell.run(block('sh', 'pincer device  '));
  expect(printed).toMatch(/● +system/);
  expect(printed).toMatch(/○ +screen/);
  expect(printed).toContain('screen is on.');
  expect(readFileSync(join(shell.folder, 'screen_snapshot.png')).subarray(1, 4).toString()).toBe('PNG');
});

it('answers curl, and refuses pages, other hosts, other types and missing tokens', async () => {
  const there = await shell.run(block('sh', 'TOKEN='));
  expect(there).toContain('OpenClaw MCP server.');
  expect(there).toContain('"name":"screen.snapshot"');
  expect(there).toContain('"mimeType":"image/png"');
  const away = await shell.run(block('sh', 'curl -i'));
  expect([...away.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
    '403',
    '403',
    '415',
    '401',
  ]);
});

it('has a valid entry for clients', () => {
  const { mcpServers } = JSON.parse(block('json', '{\n  "mcpServers"')) as {
    mcpServers: Record<string, { url: string; headers: object }>;
  };
  expect(mcpServers['openclaw-tray']).toMatchObject({
    type: 'http',
    url: `http://${host}/`,
    headers: { Authorization: 'Bearer ${PINCER_TOKEN}' },
  });
});

describe('programs', () => {
  const idOf = async (): Promise<string> => {
    let id = '';
    await eventually(async () => {
      const { approvals } = JSON.parse(await shell.run('pincer --json approvals')) as {
        approvals: { id: string; state: string }[];
      };
      id = approvals.find(({ state }) => state === 'open')?.id ?? '';
      return id !== '';
    }, 15_000);
    return id;
  };

  it('wait for a person, run once, and always', async () => {
    const lines = block('sh', 'pincer call device.system.run command:').trim().split('\n');
    const [call = '', list = '', once = '', always = ''] = lines.map((line) => line.replace(/ +#.*$/, ''));
    const first = shell.run(call);
    const id = await idOf();
    expect(await shell.run(list)).toMatch(/command +git status\n/);
    await shell.run(once.replace('3f2a', id));
    expect(await first).toContain('On branch');
    const second = shell.run(call);
    await shell.run(always.replace('3f2a', await idOf()));
    expect(await second).toContain('On branch');
    expect(await shell.run(call)).toContain('On branch');
  });

  it('run without asking if the policy file allows it', async () => {
    writeFileSync(join(home(), 'exec-approvals.json'), block('json', '{\n  "version"'), { mode: 0o600 });
    expect(
      await shell.run('pincer call device.system.run command:=\'["git","status"]\' cwd=$HOME/notes'),
    ).toContain('On branch');
  });
});

describe('commands', () => {
  /** Commands that cannot succeed here, with their answers. */
  const REFUSED: Readonly<Record<string, RegExp>> = {
    // The page shows the hash of another machine's file.
    'system.execApprovals.set': /exec approvals changed; reload and retry/,
    // This machine has no network.
    'canvas.navigate': /Navigate failed|navigated":false/,
    // The hub's folder is not a repository, so git exits with 128.
    'system.run': /"exitCode":128/,
    'app.sessions': /No gateway is configured/,
    'app.agents': /No gateway is configured/,
    'app.nodes': /No gateway is configured/,
  };
  const names = allCapabilities().flatMap(({ commands }) => [...commands.keys()]);

  it.each(names)('%s', async (name) => {
    const about = name === 'system.run' ? `${name} 'command:=` : name + (takesNothing(name) ? '\n' : ' ');
    const call = commandsPage.take('sh', `pincer call device.${about}`);
    const printed = await shell.run(`${call.trim()} 2>&1 || true`);
    if (name in REFUSED) expect(printed).toMatch(REFUSED[name]!);
    else {
      expect(printed).toMatch(/^[{[]/);
      expect(printed).not.toMatch(/reported an error/);
    }
  });

  const takesNothing = (name: string): boolean =>
    allCapabilities().every(({ commands }) => commands.get(name)?.example === undefined);
});

it('registers a capability of your own', async () => {
  await hub.stop();
  rmSync(join(home(), 'run/hub.json'), { force: true });
  shell.write('lamp.mjs', block('js', '// lamp.mjs'));
  const lamp = await start(`PINCER_HOME="${home()}" node lamp.mjs`);
  expect(await shell.run('pincer call device.lamp.set level=30')).toBe('{"level":30}\n');
  await lamp.stop();
});

it('has no other blocks', () => {
  // These need a gateway: test/openclaw/device-node.test.ts runs them with a real one.
  page.take('text', 'pincer node pair');
  page.take('text', 'openclaw config set');
  expect([...page.untaken(), ...commandsPage.untaken()]).toEqual([]);
});
