/** Runs every shell block of docs/clients with the real clients, on one hub. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { type DocHub, openDocHub } from '../kit/doc-hub.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { EVERYTHING } from '../clients/everything.ts';

const ROOT = join(import.meta.dirname, '../..');
let hub: DocHub;

beforeAll(async () => {
  await installClients();
  hub = await openDocHub({
    programs: { ...PROGRAMS },
    config: { servers: { everything: EVERYTHING } },
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  });
  hub.replace('npx @modelcontextprotocol/inspector', 'inspector');
}, INSTALL_MS + 60_000);
afterAll(() => hub?.[Symbol.asyncDispose]());

it('README.md prints an entry and writes it', async () => {
  const page = openDocPage('clients/README.md');
  expect(await hub.run(page, 'pincer connect')).toContain('claude mcp add');
  expect(await hub.shell.run('claude mcp list')).toMatch(/^pincer: .* ✔ Connected$/m);
  await hub.shell.run('claude mcp remove pincer --scope user');
  expect(page.untaken()).toEqual([]);
});

it('claude-code.md connects over HTTP and over stdio', async () => {
  const page = openDocPage('clients/claude-code.md');
  for (const about of [
    'claude mcp add --scope user --transport http',
    'claude mcp add --scope user pincer',
  ]) {
    await hub.run(page, about);
    expect(await hub.shell.run('claude mcp list')).toMatch(/^pincer: .* ✔ Connected$/m);
    await hub.shell.run('claude mcp remove pincer --scope user');
  }
  page.take('json', 'mcpServers');
  expect(page.untaken()).toEqual([]);
});

it('codex.md adds both entries', async () => {
  const page = openDocPage('clients/codex.md');
  await hub.run(page, 'codex mcp add pincer --url');
  expect(await hub.shell.run('codex mcp list')).toMatch(/^pincer +http\S+\/mcp +PINCER_TOKEN/m);
  const [, url = ''] = /url = "(.*)"/.exec(hub.block(page, 'toml', 'mcp_servers')) ?? [];
  expect(await hub.shell.run('cat .codex/config.toml')).toContain(`url = "${url}"`);
  await hub.run(page, 'codex mcp add pincer --\u0020');
  expect(await hub.shell.run('codex mcp list')).toMatch(/^pincer +pincer +stdio/m);
  expect(page.untaken()).toEqual([]);
});

it('gemini-cli.md connects over HTTP and over stdio', async () => {
  const page = openDocPage('clients/gemini-cli.md');
  for (const about of ['gemini mcp add --scope user --transport', 'gemini mcp add --scope user pincer']) {
    await hub.run(page, about);
    expect(await hub.shell.run('gemini mcp list 2>&1')).toMatch(/✓ pincer: .* Connected/);
    await hub.shell.run('rm .gemini/settings.json');
  }
  page.take('json', 'httpUrl');
  expect(page.untaken()).toEqual([]);
});

it('inspector.md lists the tools over HTTP and over stdio', async () => {
  const page = openDocPage('clients/inspector.md');
  for (const about of [
    'npx @modelcontextprotocol/inspector --cli http',
    'npx @modelcontextprotocol/inspector --cli pincer',
  ])
    expect(await hub.run(page, about)).toContain('"everything__echo"');
  page.take('text', '--server-url');
  expect(page.untaken()).toEqual([]);
});

it('mcporter.md lists and calls', async () => {
  const page = openDocPage('clients/mcporter.md');
  expect(await hub.run(page, 'mcporter config add pincer --command')).toContain('Echo: hi');
  await hub.shell.run('mcporter config remove pincer');
  await hub.run(page, 'mcporter config add pincer --url');
  expect(await hub.shell.run('mcporter call pincer.everything__echo message=hi')).toContain('Echo: hi');
  page.take('json', 'mcpServers');
  expect(page.untaken()).toEqual([]);
});

it('curl-and-sdks.md calls a tool', async () => {
  const page = openDocPage('clients/curl-and-sdks.md');
  expect(await hub.run(page, 'curl')).toContain('Echo: hi');
  await hub.shell.run(`ln -s ${join(ROOT, 'node_modules')} node_modules`);
  hub.shell.write('client.mts', hub.block(page, 'ts', 'import'));
  expect(await hub.shell.run('node client.mts')).toContain('Echo: hi');
  expect(page.untaken()).toEqual([]);
});

it('no other page has a shell block', () => {
  // test/openclaw/docs.test.ts runs those of openclaw.md.
  const RUN = [
    'README',
    'claude-code',
    'codex',
    'curl-and-sdks',
    'gemini-cli',
    'inspector',
    'mcporter',
    'openclaw',
  ];
  const others = readdirSync(join(ROOT, 'docs/clients')).filter(
    (name) => !RUN.includes(name.replace('.md', '')),
  );
  expect(others).toHaveLength(4);
  expect(others.filter((name) => openDocPage(`clients/${name}`).text.includes('```sh'))).toEqual([]);
});
