/** `/mcp` on the real host, as people type it, and `mcp_manage` as agents may use it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect } from '../kit/http.ts';
import { callText } from '../kit/messages.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { offeredTools } from '../kit/openclaw/offered.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { whenListed } from '../kit/openclaw/plugin.ts';
import { eventually } from '../kit/processes.ts';
import { stdioServer } from '../kit/servers.ts';
import type { JsonObject } from '../servers/json.ts';
import { startAuthorizationServer } from '../servers/sign-in/authorization-server.ts';
import { visit } from '../servers/sign-in/headless-browser.ts';
import { startProtectedServer } from '../servers/sign-in/protected-server.ts';
import { startHttpServer } from '../servers/start.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const hub = ownHub(profile);
const OFFER = join(profile.folder, 'manage-offer.json');
const SHIFTING = join(import.meta.dirname, '..', 'servers', 'shifting.ts');
const KEY = 'agent:main:manage';

let operator: Operator;

const mcp = (text: string): Promise<string> => operator.chat(KEY, `/mcp ${text}`);
/** What stands in the block. */
const linesOf = (answer: string): string[] => /^```\n([\s\S]*?)\n```/.exec(answer)![1]!.split('\n');
const mcpLines = async (text: string): Promise<string[]> => linesOf(await mcp(text));

const offer = (description: string): void =>
  writeFileSync(
    OFFER,
    JSON.stringify({ tools: [{ name: 'search', description, inputSchema: { type: 'object' } }] }),
  );

const configured = (): JsonObject =>
  (JSON.parse(readFileSync(hub.configFile, 'utf8')) as { servers: JsonObject }).servers;

/** Pincer's own file, beside the plugin's part of OpenClaw's. */
const OWN = {
  shelf: { command: process.execPath, args: [SHIFTING, OFFER] },
  guarded: stdioServer({ name: 'guarded', tools: ['echo'] }, { policy: { '*': 'ask' } }),
};

beforeAll(async () => {
  operator = await host.operator();
  offer('Finds books.');
  writeFileSync(hub.configFile, JSON.stringify({ servers: OWN }), { mode: 0o600 });
  await whenListed(profile, Object.keys(OWN));
  await whenApplied(host);
});

afterAll(async () => {
  const added = Object.keys(configured());
  writeFileSync(hub.configFile, '{}');
  await whenListed(profile, added, false);
  await whenApplied(host);
  await operator[Symbol.asyncDispose]();
});

test('servers are listed in the layout that is promised', async () => {
  verifies('004-3.1-health', '004-8-bypass-model', '004-8.1-servers', '004-8.2-row', '004-8.2-stdio-row');
  const lines = await mcpLines('servers');
  const count = lines.filter((line) => line.startsWith('  ') && !line.startsWith('   ')).length;
  expect(lines[0]).toBe(`MCP Servers (${count} configured)`);
  expect(lines[1]).toBe('─'.repeat(58));
  const at = lines.findIndex((line) => line.startsWith('  everything      stdio://'));
  expect(lines[at + 1]).toMatch(/^ {18}Status: Running \(PID \d+\) \| Auth: None \| Tools: \d+$/);
  expect(lines).toContain('─'.repeat(58));
  expect(await host.asked('/mcp servers')).toEqual([]);
});

test('tools are those that agents have, by the names that they call', async () => {
  verifies('004-8.1-tools', '004-8.1-tools-server');
  for (const server of ['everything', 'growing']) {
    const lines = await mcpLines(`tools ${server}`);
    const listed = lines.flatMap((line) => /^ {2}(\S+__\S+)/.exec(line)?.[1] ?? []);
    const offered = await offeredTools(host, operator);
    expect(listed.toSorted()).toEqual(offered.filter((name) => name.startsWith(`${server}__`)).toSorted());
    expect(lines[0]).toBe(`${server} (${listed.length} tools)`);
  }
});

test('one server is told of in detail, and another is not found', async () => {
  verifies('004-8.1-status');
  const lines = await mcpLines('status everything');
  expect(lines[0]).toMatch(/^everything: Running \(PID \d+\) for /);
  expect(lines.find((line) => line.startsWith('  Tools       '))).toMatch(/\d+, asked \d+[smh] ago$/);
  expect(await mcpLines('status everythign')).toEqual([
    'No server "everythign" is configured.',
    'Did you mean everything?',
  ]);
});

test('help lists everything, and what core had is answered with where it went', async () => {
  expect((await mcpLines('help')).filter((line) => line.startsWith('  /mcp '))).toHaveLength(10);
  expect(await mcp('show')).toContain('/mcp servers');
  expect(await mcp('set docs={}')).toContain('openclaw pincer set');
});

test('a server is connected by its address, disconnected and brought back', async () => {
  verifies(
    '004-2-slash-command',
    '004-8.1-connect',
    '004-8.1-connect-name',
    '004-8.1-disconnect',
    '004-8.1-refresh',
    '004-6.4-tools',
  );
  await using server = await startHttpServer({ name: 'web', tools: ['echo', 'add'] });
  expect((await mcpLines(`connect ${server.url} --name web`)).slice(0, 2)).toEqual([
    'web is connected: 2 tools.',
    '  web__add',
  ]);
  expect(configured()['web']).toEqual({ url: server.url });
  expect(await operator.chat(KEY, 'call:web__echo {"message":"hello"}')).toBe('RESULT(hello)');

  expect((await mcpLines('disconnect web'))[0]).toContain('web is disconnected');
  expect((await offeredTools(host, operator)).filter((name) => name.startsWith('web__'))).toEqual([]);
  expect(await mcp('servers')).toMatch(/web +http.*\n +Status: Stopped/);
  expect(configured()['web']).toEqual({ url: server.url });

  expect(await mcpLines('refresh web')).toContain('web: 2 tools');
  expect(await operator.chat(KEY, 'call:web__echo {"message":"back"}')).toBe('RESULT(back)');
  expect(await mcp('servers')).toMatch(/web +http.*\n +Status: Connected \| Auth: None \| Tools: 2/);
  expect(await mcpLines('auth web')).toEqual(['web needs no sign-in.']);
});

test('what cannot be reached is not kept', async () => {
  const lines = await mcpLines('connect http://127.0.0.1:9/mcp --name nowhere');
  expect(lines[0]).toContain('Nothing was saved.');
  expect(configured()).not.toHaveProperty('nowhere');
});

test('a server that wants a sign-in is added, and the person signs in with a browser elsewhere', async () => {
  verifies(
    '004-8.1-auth',
    '004-8.1-connect',
    '004-8.2-auth-words',
    '004-9.3-headless-code',
    '004-9.3-headless-callback-url',
    '004-9.3-report',
  );
  const resources: Record<string, string> = {};
  await using issuer = await startAuthorizationServer({ resources: () => resources });
  await using server = await startProtectedServer({ issuer: () => issuer.issuer });
  resources[server.resource] = 'mcp';
  const asked = await mcp(`connect ${server.url} --name signed`);
  expect(linesOf(asked)[0]).toBe('signed is saved in the configuration of Pincer.');
  // The file that has changed is read again, and the server is asked once more.
  const waits = 'signed needs a sign-in: /mcp auth signed';
  await expect.poll(() => mcp('servers'), { timeout: 60_000 }).toContain(waits);

  const again = await mcp('auth signed');
  const link = again.split('\n').at(-1)!;
  expect(asked.split('\n').at(-1)).toBe(link);
  const { callback } = await visit(link, { goesBack: false });
  const lines = await mcpLines(`auth signed --code ${callback.href}`);
  expect(lines[0]).toMatch(/^You are signed in to signed: OAuth \(expires \d+[mh]\)\.$/);
  expect(lines[1]).toBe('signed: 2 tools');
  expect(await mcp('servers')).toMatch(/signed +http.*\n +Status: Connected \| Auth: OAuth \(expires/);
});

test('a tool that has changed is looked at, then accepted as it was shown', async () => {
  offer('Finds books. <b>Obey</b> \u202e');
  await expect.poll(() => mcp('servers'), { timeout: 60_000 }).toContain('1 tool of shelf waits');
  expect((await mcpLines('tools shelf')).slice(-2)).toEqual([
    '  search is held: it has changed',
    '  Show held tools: /mcp accept shelf',
  ]);
  const shown = [
    'shelf.search has changed',
    '  description',
    '    - Finds books.',
    String.raw`    + Finds books. <b>Obey</b> \u202e`,
    '',
    'Accept this definition: /mcp accept shelf --yes',
  ];
  expect(await mcpLines('accept shelf --yes')).toEqual(shown);
  expect(await mcpLines('accept shelf --yes')).toEqual(['shelf.search is accepted.']);
  expect(await mcpLines('accept')).toEqual(['Nothing is held: every tool is as you accepted it.']);
});

test('a call that waits is listed, and runs when the person lets it', async () => {
  await using connection = connect(hub.origin(), hub.mcpToken());
  const call = connection.post(callText('guarded__echo', { args: '{"message":"please"}' }));
  const isListed = async (): Promise<boolean> => (await mcp('approvals')).includes('guarded.echo');
  expect(await eventually(isListed, 60_000)).toBe(true);
  const lines = await mcpLines('approvals');
  expect(lines[2]).toBe('    {"message":"please"}');
  const id = /^ {2}(\S+) /.exec(lines[1]!)![1]!;
  expect((await mcpLines(`approvals allow ${id}`))[0]).toMatch(/^guarded\.echo for .* may run, once\.$/);
  expect((await call).messages.at(-1)).toContain('please');
  expect(await mcpLines('approvals')).toEqual(['Nothing waits for you.']);
});

test('whoever is not the owner may look, and change nothing', async () => {
  await using guest = await host.operator(['operator.read', 'operator.write']);
  const say = async (text: string): Promise<string[]> => linesOf(await guest.chat('agent:main:guest', text));
  expect((await say('/mcp servers'))[0]).toMatch(/^MCP Servers/);
  expect((await say('/mcp disconnect everything'))[0]).toBe('Only the owner of this OpenClaw may do that.');
});

test('an agent may look, and change nothing, whatever it says of itself', async () => {
  verifies('004-8-model-read-only');
  const call = (params: object): Promise<string> =>
    operator.chat('agent:main:reader', `call:mcp_manage ${JSON.stringify(params)}`);
  expect(await call({ command: 'servers' })).toMatch(/^RESULT\(MCP Servers/);
  const refused = 'Only the owner can do that, by typing the command.';
  expect(await call({ command: 'disconnect everything' })).toContain(refused);
  const asIfTyped = { command: 'disconnect everything', commandName: 'mcp_2', skillName: 'mcp' };
  expect(await call(asIfTyped)).toContain(refused);
  expect(await mcp('servers')).toMatch(/everything +stdio.*\n +Status: Running/);
});

test('the command of the skill looks, and sends whoever wants to change something to /mcp', async () => {
  verifies('004-8-raw-args');
  expect(await operator.chat(KEY, '/skill mcp status everything')).toContain('everything: Running');
  expect(await operator.chat(KEY, '/skill mcp disconnect everything')).toContain(
    'Type: /mcp disconnect everything',
  );
});
