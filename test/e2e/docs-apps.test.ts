/** Runs every block of docs/apps.md. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { startBrowser } from '../kit/browser.ts';
import { openDocPage } from '../kit/doc-page.ts';
import { ENTRY, readHubFile } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { openShell, type Shell, type Terminal } from '../kit/shell.ts';
import { connectSdk } from '../servers/sdk-clients.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = openDocPage('apps.md');
let shell: Shell;
let hub: Terminal;
/** Addresses of the page, with their replacements. */
const places = new Map<string, string>();

/** A block with the ports of this test. */
function block(language: string, about: string): string {
  let text = page.take(language, about);
  for (const [from, to] of places) text = text.replaceAll(from, to);
  return text;
}

const home = (): string => join(shell.folder, '.openclaw/mcp');

/** A hub on free ports. */
async function startHub(commands: string): Promise<Terminal> {
  const before = readHubFile(home())?.['pid'];
  const terminal = shell.start(commands);
  await terminal.until('/v1/chat/sessions');
  expect(await eventually(() => ![undefined, before].includes(readHubFile(home())?.['pid']))).toBe(true);
  const { mcp, proxy } = readHubFile(home())!['endpoints'] as { mcp: string; proxy: string };
  places.set('127.0.0.1:8765', new URL(mcp).host);
  places.set('127.0.0.1:8000', new URL(proxy).host);
  return terminal;
}

beforeAll(async () => {
  await installClients();
  shell = openShell({ pincer: ENTRY, claude: PROGRAMS.claude, codex: PROGRAMS.codex });
  mkdirSync(home(), { recursive: true, mode: 0o700 });
  mkdirSync(join(shell.folder, 'node_modules'));
  symlinkSync(join(ROOT, 'packages/hub'), join(shell.folder, 'node_modules/pincer'));
  shell.write('.openclaw/mcp/config.json', '{ "device": { "port": 0 }, "proxy": { "port": 0 } }');
  await shell.run(block('sh', 'export OPENCLAW_PROXY_OPENCLAW_TOKEN'));
  hub = await startHub(block('sh', 'pincer up'));
}, INSTALL_MS + 60_000);
afterAll(() => shell?.[Symbol.asyncDispose]());

let timer: Terminal;

it('makes a Node program a tool of the hub, with an address for each session', async () => {
  await shell.run(block('sh', 'export PINCER_APP_TOKEN'));
  shell.write('kitchen.mjs', block('js', '// kitchen.mjs'));
  timer = shell.start(block('sh', 'node kitchen.mjs'));
  await timer.until('/v1/mcp/');
  const answer = (await shell.run(block('sh', 'pincer call kitchen.start_timer'))).trim();
  expect(answer).toContain('"egg"');
  expect(page.text).toContain(`prints \`${answer}\``);

  const url = timer.printed().replace('Connected: ', '').trim();
  await shell.run(`MCP_URL=${url}`);
  await shell.run(block('sh', 'claude mcp add --transport http pincer'));
  await shell.run(block('sh', 'claude mcp add --transport http timer'));
  const listed = await shell.run('claude mcp list');
  expect(listed).toMatch(/^pincer: .* ✔ Connected$/m);
  expect(listed).toMatch(/^timer: .* ✔ Connected$/m);
  await shell.run(block('sh', 'codex mcp add'));
  expect(await shell.run('codex mcp list')).toMatch(
    /^timer +\S+\/v1\/mcp\/\w+ +OPENCLAW_PROXY_OPENCLAW_TOKEN/m,
  );

  const token = (await shell.run('echo $OPENCLAW_PROXY_OPENCLAW_TOKEN')).trim();
  const filled = (text: string): string =>
    text
      .replaceAll('SESSION_ID', url.slice(url.lastIndexOf('/') + 1))
      .replaceAll('${OPENCLAW_PROXY_OPENCLAW_TOKEN}', token)
      .replaceAll('the OpenClaw token', token);
  for (const about of ['/v1/mcp/SESSION_ID', '"MCP-Session-Id"']) {
    const { mcp } = JSON.parse(filled(block('json', about))) as OpenClawConfig;
    await using client = await connectSdk('legacy', mcp.servers.timer.url, mcp.servers.timer.headers);
    expect(await client.listTools()).toEqual(['start_timer']);
  }
  const { mcpServers } = JSON.parse(filled(block('json', 'proxy-stdio'))) as StdioConfig;
  const { env, ...command } = mcpServers.timer;
  await using client = await connectSdk('modern', { ...command, env: { ...shell.env, ...env } });
  expect(await client.listTools()).toEqual(['start_timer']);
});

interface OpenClawConfig {
  mcp: { servers: { timer: { url: string; headers: Record<string, string> } } };
}
interface StdioConfig {
  mcpServers: { timer: { command: string; args: string[]; env: Record<string, string> } };
}

it('makes a function of a web page a tool', async () => {
  await using served = await serve(shell.folder);
  places.set('127.0.0.1:5173', served.host);
  const token = (await shell.run(block('sh', 'pincer token add notes'))).trim();
  shell.write('index.html', block('html', '<!-- index.html -->').replace('THE TOKEN', token));
  await shell.run(block('sh', 'cp node_modules/pincer'));
  await using browser = await startBrowser();
  const tab = await browser.open(`http://${served.host}/index.html`);
  const isThere = (): Promise<boolean> =>
    shell.run('pincer tools notes').then((all) => all.includes('add_note'));
  expect(await eventually(() => isThere().catch(() => false), 60_000, 200)).toBe(true);
  expect(await shell.run(block('sh', 'pincer call notes.add_note'))).toBe('{"notes":1}\n');
  expect(await tab.ask(`document.getElementById('notes').innerText`)).toBe('Buy stamps');
});

it('connects an app without the library', async () => {
  const told = JSON.parse(await shell.run(block('sh', 'SESSION=$(curl'))) as object;
  expect(Object.keys(told)).toEqual(Object.keys(JSON.parse(block('json', '"bridge_url"')) as object));
  shell.write('by-hand.mjs', block('js', '// by-hand.mjs'));
  const app = shell.start(block('sh', 'node by-hand.mjs'));
  await app.until('Connected.');
  const answer = JSON.parse(await shell.run(block('sh', 'MCP_URL=$(node'))) as { result: object };
  expect(answer.result).toMatchObject({ structuredContent: { echoed_text: 'hello' }, isError: false });
  expect(JSON.parse(await shell.run(block('sh', 'curl -s -X DELETE')))).toEqual({ ok: true });
  await app.until('Closed: 4404');
});

it('holds a changed tool until it is accepted, unless the app is trusted', async () => {
  const restart = async (description: string): Promise<void> => {
    await timer.stop();
    await shell.run(`sed -i "s/description: '.*'/description: '${description}'/" kitchen.mjs`);
    timer = shell.start('node kitchen.mjs');
    await timer.until('/v1/mcp/');
  };
  const says = (command: string, text: string): Promise<boolean> =>
    eventually(async () => (await shell.run(command)).includes(text), 20_000);
  await restart('Rings later.');
  expect(await says('pincer accept', 'kitchen.start_timer  changed')).toBe(true);
  const accepted = await shell.run(`${block('sh', 'pincer accept').trim()} --yes`);
  expect(accepted).toContain('kitchen.start_timer is accepted.');
  expect(await says('pincer tools kitchen', 'Rings later.')).toBe(true);

  const file = join(home(), 'config.json');
  const [hash = ''] = /(?<="tokenHash": ")[^"]+/.exec(readFileSync(file, 'utf8')) ?? [];
  const trusted = block('json5', "trust: 'always'").replace(/(?<=tokenHash: ')[^']+/, hash);
  shell.write('.openclaw/mcp/config.json', trusted);
  await shell.run('pincer reload');
  await restart('Rings much later.');
  expect(await says('pincer tools kitchen', 'Rings much later.')).toBe(true);
});

it('logs registrations, connections and calls', async () => {
  const printed = await shell.run(block('sh', 'pincer logs'));
  expect(printed).toContain('kitchen.start_timer');
  const rows = printed.split('\n').filter((line) => line.startsWith('{'));
  const methods = rows.map((row) => (JSON.parse(row) as { method: string }).method);
  expect(methods).toEqual(expect.arrayContaining(['sessions/create', 'bridge/connect', 'tools/call']));
});

it('runs the proxy alone behind a web server', async () => {
  await timer.stop();
  await hub.stop();
  shell.write('.openclaw/mcp/config.json', block('json5', 'publicUrl'));
  shell.write('token.txt', 'of-the-others');
  const others = await startHub(
    `unset OPENCLAW_PROXY_OPENCLAW_TOKEN\n${block('sh', 'pincer secret set').trim()} --port 0`,
  );
  const origin = `http://${places.get('127.0.0.1:8000')}`;
  expect(await (await fetch(`${origin}/health`)).text()).toBe('ok');
  expect((await fetch(`${origin}/v1/mcp`, { method: 'POST' })).status).toBe(401);
  const [token = ''] = /^[\w-]{43}$/m.exec(others.printed()) ?? [];
  const made = await fetch(`${origin}/v1/chat/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"tools":[]}',
  });
  expect(((await made.json()) as { mcp_url: string }).mcp_url).toMatch(
    /^https:\/\/apps\.example\.com\/v1\/mcp\//,
  );
  // The same lines as in the tests with a real nginx.
  const tested = readFileSync(join(ROOT, 'test/kit/proxy/nginx.ts'), 'utf8');
  const lines = page.take('nginx', 'proxy_pass').match(/(?:map|proxy_(?!pass)\w+) .*/g) ?? [];
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.filter((line) => !tested.includes(line))).toEqual([]);
});

it('lists limits as config.md does', () => {
  const rows = (text: string): string[] =>
    [...text.matchAll(/^\| `(?:max|app|bridge)\w+` +\|.*$/gm)].map(([row]) => row.replaceAll(/ +/g, ' '));
  const [own, all] = [rows(page.text), rows(openDocPage('config.md').text)];
  expect(own.length).toBeGreaterThan(10);
  expect(all).toEqual(expect.arrayContaining(own));
});

it('has no other block', () => {
  expect(page.untaken()).toEqual([]);
});

/** Serves a folder over HTTP. */
async function serve(folder: string): Promise<AsyncDisposable & { host: string }> {
  const server = createServer(({ url = '/' }, response) => {
    const path = join(folder, url);
    if (!existsSync(path)) return void response.writeHead(404).end();
    const type = url.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(path));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
