/** Clients that nobody here wrote list and call server-everything through the hub. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCodexAppServer } from '../clients/codex-app-server.ts';
import { EVERYTHING } from '../clients/everything.ts';
import { makeHome, type Home } from '../clients/home.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { startScriptedModel } from '../clients/messages-api.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { connectSdkV1 } from '../clients/sdk-v1.ts';
import { connectSdkV2 } from '../clients/sdk-v2.ts';
import type { Target, ToolClient } from '../clients/tool-client.ts';
import { startHub, type TestHub } from '../kit/hub.ts';

const ECHO = 'everything__echo';
const SAID = 'through the hub: héllo';
const HEARD = `Echo: ${SAID}`;
const HEARD_RESULT = { content: [{ type: 'text', text: HEARD }] };
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

let hub: TestHub;
/** What the server itself says it has, under the names that the hub gives. */
let expected: string[];

beforeAll(async () => {
  await installClients();
  await using direct = await connectSdkV1({ ...EVERYTHING, stderr: 'ignore' });
  expected = (await direct.listTools()).map((name) => `everything__${name}`).sort();
  hub = await startHub({ servers: { everything: EVERYTHING } });
}, INSTALL_MS + 60_000);

afterAll(() => hub?.[Symbol.asyncDispose]());

const bearer = (): string => `Authorization: Bearer ${hub.token}`;
const entry = () => ({ url: hub.url, headers: { Authorization: `Bearer ${hub.token}` } });
const namesOf = (value: unknown): string[] => (value as { name: string }[]).map(({ name }) => name).sort();

type Connect = (target: Target) => Promise<ToolClient>;
const SDKS: [name: string, connect: Connect, version: string][] = [
  ['SDK v1', connectSdkV1, LEGACY],
  ['SDK v2, legacy', (target) => connectSdkV2(target, 'legacy'), LEGACY],
  ['SDK v2, auto', (target) => connectSdkV2(target, 'auto'), MODERN],
  ['SDK v2, pinned', (target) => connectSdkV2(target, { pin: MODERN }), MODERN],
];
const TARGETS: [transport: string, target: () => Target][] = [
  ['HTTP', () => ({ url: hub.url, token: hub.token })],
  ['stdio', () => hub.stdioProgram()],
];

describe.each(TARGETS)('over %s', (_transport, target) => {
  it.each(SDKS)('%s lists and calls', async (_name, connect, version) => {
    await using client = await connect(target());
    expect(client.version).toBe(version);
    expect((await client.listTools()).sort()).toEqual(expected);
    expect(await client.callTool(ECHO, { message: SAID })).toMatchObject(HEARD_RESULT);
    // The SDKs check it against the schema that they were told.
    expect(
      await client.callTool('everything__get-structured-content', { location: 'Chicago' }),
    ).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
  });
});

it('curl lists and calls without a handshake', async () => {
  using home = makeHome();
  const ask = async (method: string, params: object): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const args = ['-sS', '--fail-with-body', '-H', bearer(), '--json', body, hub.url];
    return (JSON.parse(await home.run('curl', args)) as { result: unknown }).result;
  };
  const { tools } = (await ask('tools/list', {})) as { tools: unknown };
  expect(namesOf(tools)).toEqual(expected);
  const result = await ask('tools/call', { name: ECHO, arguments: { message: SAID } });
  expect(result).toEqual(HEARD_RESULT);
});

describe('Claude Code', () => {
  const claudeMcp =
    (home: Home) =>
    (...args: string[]) =>
      home.run(process.execPath, [PROGRAMS.claude, 'mcp', ...args]);

  it('connects over HTTP, and not with another token', async () => {
    using home = makeHome();
    const claude = claudeMcp(home);
    await claude('add', '--transport', 'http', 'pincer', hub.url, '--header', bearer());
    await claude('add', '--transport', 'http', 'stranger', hub.url, '--header', 'Authorization: Bearer no');
    const listed = await claude('list');
    expect(listed).toContain(`pincer: ${hub.url} (HTTP) - ✔ Connected`);
    expect(listed).toContain(`stranger: ${hub.url} (HTTP) - ✘ Failed to connect`);
  });

  it('connects over stdio', async () => {
    using home = makeHome();
    const claude = claudeMcp(home);
    const { command, args } = hub.stdioProgram();
    await claude('add', 'pincer', '--env', `PINCER_HOME=${hub.home}`, '--', command, ...args);
    expect(await claude('list')).toContain(`pincer: ${[command, ...args].join(' ')} - ✔ Connected`);
  });

  it('offers the tools to its model and calls one', async () => {
    using home = makeHome();
    const tool = `mcp__pincer__${ECHO}`;
    await using model = await startScriptedModel({ name: tool, input: { message: SAID } });
    const config = join(home.folder, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { pincer: { type: 'http', ...entry() } } }));
    const printed = await home.run(
      process.execPath,
      [
        PROGRAMS.claude,
        '-p',
        'say it',
        `--mcp-config=${config}`,
        '--strict-mcp-config',
        `--allowedTools=${tool}`,
      ],
      { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'sk-none', ENABLE_TOOL_SEARCH: 'false' },
    );
    expect(printed).toContain(HEARD);
    const offered = [...model.offered].filter((name) => name.startsWith('mcp__pincer__')).sort();
    expect(offered).toEqual(expected.map((name) => `mcp__pincer__${name}`));
  });
});

it('mcporter lists and calls', async () => {
  using home = makeHome();
  const config = join(home.folder, 'mcporter.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { pincer: entry() }, imports: [] }));
  const mcporter = (...args: string[]) =>
    home.run(process.execPath, [PROGRAMS.mcporter, '--config', config, ...args]);
  const { servers } = JSON.parse(await mcporter('list', '--json')) as { servers: { tools: unknown }[] };
  expect(servers.flatMap(({ tools }) => namesOf(tools))).toEqual(expected);
  expect(await mcporter('call', `pincer.${ECHO}`, `message=${SAID}`)).toBe(`${HEARD}\n`);
});

it('the Inspector lists and calls', async () => {
  using home = makeHome();
  const ask = async (...args: string[]): Promise<unknown> => {
    const where = ['--cli', hub.url, '--transport', 'http', '--header', bearer()];
    return JSON.parse(await home.run(process.execPath, [PROGRAMS.inspector, ...where, '--method', ...args]));
  };
  expect(namesOf(((await ask('tools/list')) as { tools: unknown }).tools)).toEqual(expected);
  const result = await ask('tools/call', '--tool-name', ECHO, '--tool-arg', `message=${SAID}`);
  expect(result).toEqual(HEARD_RESULT);
});

it('Codex keeps the server, lists and calls', async () => {
  using home = makeHome();
  const env = { PINCER_TOKEN: hub.token };
  const codex = (...args: string[]) => home.run(process.execPath, [PROGRAMS.codex, 'mcp', ...args], env);
  await codex('add', 'pincer', '--url', hub.url, '--bearer-token-env-var', 'PINCER_TOKEN');
  expect(await codex('list')).toMatch(new RegExp(`^pincer +${hub.url} +PINCER_TOKEN +enabled`, 'm'));
  await using server = await startCodexAppServer(home, env);
  const { data } = (await server.ask('mcpServerStatus/list', {})) as { data: { tools: object }[] };
  expect(data.flatMap(({ tools }) => Object.keys(tools).sort())).toEqual(expected);
  const { thread } = (await server.ask('thread/start', { ephemeral: true })) as { thread: { id: string } };
  const call = { threadId: thread.id, server: 'pincer', tool: ECHO, arguments: { message: SAID } };
  expect(await server.ask('mcpServer/tool/call', call)).toEqual(HEARD_RESULT);
});
