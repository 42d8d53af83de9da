import { expect, test } from 'vitest';
import { HandConfig, HandHub, HOME, open, status } from '../../../../test/kit/fake-config.ts';
import { eject } from '../entries/eject.ts';
import { ejectEntries, type OpenClawServers } from './eject.ts';

const ON = { enabled: true, hooks: { allowConversationAccess: true } };
const NONE: OpenClawServers = { servers: {}, leftOut: [], notes: [], clear: [] };

const withPlugin = (entry: object, mcp?: object): object => ({
  // Enough other content that our entries may be removed in one write.
  gateway: { note: 'x'.repeat(4_000) },
  ...(mcp && { mcp }),
  plugins: { entries: { 'mcp-client': entry } },
});

async function run(config: HandConfig, words: readonly string[] = [], given: OpenClawServers = NONE) {
  let output = '';
  const asked: boolean[] = [];
  const exitCode = await ejectEntries(words, {
    config,
    home: HOME,
    eject,
    servers: (withSecrets) => {
      asked.push(withSecrets);
      return Promise.resolve(given);
    },
    write: (text) => void (output += text),
  });
  return { exitCode, output, asked };
}

test('removes the entries and the permission in the write that disables the plugin', async () => {
  const config = new HandConfig(withPlugin(ON, { servers: { mine: { command: 'x' } } }));
  await open(config).entries.reconcile(new HandHub(), status('a'));
  const { writes } = config;
  const { exitCode, output } = await run(config);
  expect([exitCode, config.writes]).toEqual([0, writes + 1]);
  expect(output).toContain('Removed from mcp.servers: a.');
  expect(output).toContain(HOME);
  expect(config.file).toEqual(withPlugin({ enabled: false }, { servers: { mine: { command: 'x' } } }));
  const again = await run(config);
  expect([again.exitCode, config.writes]).toEqual([0, writes + 1]);
  expect(again.output).toContain('mcp.servers has no entry of Pincer.');
});

test('keeps the settings of the person, and says where', async () => {
  const entry = { enabled: true, config: { servers: { a: { command: 'x' } } } };
  const config = new HandConfig(withPlugin(entry));
  expect((await run(config)).output).toContain('plugins.entries.mcp-client.config');
  expect(config.file).toEqual(withPlugin({ ...entry, enabled: false }));
});

test('leaves the plugin enabled if the host refuses the write', async () => {
  const config = new HandConfig(withPlugin(ON));
  await open(config).entries.reconcile(new HandHub(), status('a'));
  config.failure = new Error('The file is read-only.');
  const { exitCode, output } = await run(config);
  expect(exitCode).toBe(1);
  expect(output).toMatch(/read-only[^]*The plugin is still enabled/);
  config.failure = undefined;
  expect(await run(config)).toMatchObject({ exitCode: 0 });
  expect(config.file).toEqual(withPlugin({ enabled: false }));
});

test("restores servers as OpenClaw's own entries, and never replaces an existing one", async () => {
  const mine = { command: 'mine' };
  const config = new HandConfig(withPlugin(ON, { servers: { b: mine } }));
  await open(config).entries.reconcile(new HandHub(), status('a', 'b', 'c'));
  const given = {
    servers: { a: { command: 'a' }, b: { command: 'b' } },
    leftOut: [{ name: 'c', text: 'it needs the secret KEY.' }],
    notes: [{ name: 'a', text: 'policy holds no more.' }],
    clear: [],
  };
  const { exitCode, output, asked } = await run(config, ['--restore-servers'], given);
  expect([exitCode, asked]).toEqual([0, [false]]);
  expect(config.file).toEqual(withPlugin({ enabled: false }, { servers: { a: { command: 'a' }, b: mine } }));
  expect(output).toContain("Written to mcp.servers, as OpenClaw's own: a.");
  expect(output).toContain('b: not written, because mcp.servers has your own entry b.');
  expect(output).toContain('c: left out, it needs the secret KEY.');
  expect(output).toContain('a: policy holds no more.');
});

test('writes a secret in clear text only on request, and says so', async () => {
  const config = new HandConfig(withPlugin(ON));
  const clear = [{ name: 'a', text: 'headers.Authorization' }];
  const given = { ...NONE, servers: { a: { url: 'https://x' } }, clear };
  const { output, asked } = await run(config, ['--restore-servers', '--with-secrets'], given);
  expect(asked).toEqual([true]);
  expect(output).toContain('a: headers.Authorization is now in clear text in openclaw.json.');
});

test.each([[['--maybe']], [['--with-secrets']]])('shows the usage for %j', async (words) => {
  const config = new HandConfig(withPlugin(ON));
  const { exitCode, output } = await run(config, words);
  expect([exitCode, config.writes]).toEqual([2, 0]);
  expect(output).toMatch(/^Usage: openclaw pincer eject/);
});
