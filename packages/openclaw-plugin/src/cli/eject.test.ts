import { expect, test } from 'vitest';
import { HandConfig, HandHub, HOME, open, status } from '../../../../test/kit/hand-entries.ts';
import { eject } from '../entries/eject.ts';
import { ejectEntries, type OpenClawServers } from './eject.ts';

const ON = { enabled: true, hooks: { allowConversationAccess: true } };
const NONE: OpenClawServers = { servers: {}, leftOut: [], notes: [], clear: [] };

const withPlugin = (entry: object, mcp?: object): object => ({
  // So much besides our entries that they may go in one write.
  gateway: { note: 'x'.repeat(4_000) },
  ...(mcp && { mcp }),
  plugins: { entries: { 'mcp-client': entry } },
});

async function run(config: HandConfig, words: readonly string[] = [], given: OpenClawServers = NONE) {
  let said = '';
  const asked: boolean[] = [];
  const exitCode = await ejectEntries(words, {
    config,
    home: HOME,
    eject,
    servers: (withSecrets) => {
      asked.push(withSecrets);
      return Promise.resolve(given);
    },
    write: (text) => void (said += text),
  });
  return { exitCode, said, asked };
}

test('the entries go in the same write that switches the plugin off, and the permission with them', async () => {
  const config = new HandConfig(withPlugin(ON, { servers: { mine: { command: 'x' } } }));
  await open(config).entries.reconcile(new HandHub(), status('a'));
  const { writes } = config;
  const { exitCode, said } = await run(config);
  expect([exitCode, config.writes]).toEqual([0, writes + 1]);
  expect(said).toContain('Taken out of mcp.servers: a.');
  expect(said).toContain(HOME);
  expect(config.file).toEqual(withPlugin({ enabled: false }, { servers: { mine: { command: 'x' } } }));
  const again = await run(config);
  expect([again.exitCode, config.writes]).toEqual([0, writes + 1]);
  expect(again.said).toContain('mcp.servers has no entry of Pincer.');
});

test('settings of the person stay, and it says where', async () => {
  const entry = { enabled: true, config: { servers: { a: { command: 'x' } } } };
  const config = new HandConfig(withPlugin(entry));
  expect((await run(config)).said).toContain('plugins.entries.mcp-client.config');
  expect(config.file).toEqual(withPlugin({ ...entry, enabled: false }));
});

test('what the host refuses leaves the plugin on, so that it can be repeated', async () => {
  const config = new HandConfig(withPlugin(ON));
  await open(config).entries.reconcile(new HandHub(), status('a'));
  config.failure = new Error('The file is read-only.');
  const { exitCode, said } = await run(config);
  expect(exitCode).toBe(1);
  expect(said).toMatch(/read-only[^]*The plugin is still on/);
  config.failure = undefined;
  expect(await run(config)).toMatchObject({ exitCode: 0 });
  expect(config.file).toEqual(withPlugin({ enabled: false }));
});

test('servers come back as entries of OpenClaw’s own, and never over one that is there', async () => {
  const mine = { command: 'mine' };
  const config = new HandConfig(withPlugin(ON, { servers: { b: mine } }));
  await open(config).entries.reconcile(new HandHub(), status('a', 'b', 'c'));
  const given = {
    servers: { a: { command: 'a' }, b: { command: 'b' } },
    leftOut: [{ name: 'c', text: 'it needs the secret KEY.' }],
    notes: [{ name: 'a', text: 'policy holds no more.' }],
    clear: [],
  };
  const { exitCode, said, asked } = await run(config, ['--restore-servers'], given);
  expect([exitCode, asked]).toEqual([0, [false]]);
  expect(config.file).toEqual(withPlugin({ enabled: false }, { servers: { a: { command: 'a' }, b: mine } }));
  expect(said).toContain("Written to mcp.servers, as OpenClaw's own: a.");
  expect(said).toContain('b: left alone, because mcp.servers has an entry b of yours.');
  expect(said).toContain('c: left out, it needs the secret KEY.');
  expect(said).toContain('a: policy holds no more.');
});

test('a secret in clear text is asked for by name, and said', async () => {
  const config = new HandConfig(withPlugin(ON));
  const clear = [{ name: 'a', text: 'headers.Authorization' }];
  const given = { ...NONE, servers: { a: { url: 'https://x' } }, clear };
  const { said, asked } = await run(config, ['--restore-servers', '--with-secrets'], given);
  expect(asked).toEqual([true]);
  expect(said).toContain('a: headers.Authorization is in clear text in openclaw.json now.');
});

test.each([[['--maybe']], [['--with-secrets']]])('does not guess what %j means', async (words) => {
  const config = new HandConfig(withPlugin(ON));
  const { exitCode, said } = await run(config, words);
  expect([exitCode, config.writes]).toEqual([2, 0]);
  expect(said).toMatch(/^Usage: openclaw pincer eject/);
});
