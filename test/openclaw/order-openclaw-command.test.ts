/** `openclaw mcp-server`: the command that our plugin adds, in the real OpenClaw, as clients start it. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, inject, test } from 'vitest';
import { LOCAL_CALLER } from '../../packages/hub/src/core/caller.ts';
import { sessionKeyFor } from '../../packages/hub/src/agent/orders.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { CLIENT_INFO } from '../clients/tool-client.ts';
import { claudeTurn, inClaude } from '../kit/claude-turn.ts';
import { startMcpServer } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { ordererOf, ownerEnv } from '../kit/openclaw/order.ts';
import { descendants, eventually, isAlive } from '../kit/processes.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
/** Where OpenClaw is installed, with its command among those of the folder. */
const INSTALLED = import.meta.dirname;
const env = {
  ...ownerEnv(profile),
  PATH: `${join(INSTALLED, 'node_modules', '.bin')}${delimiter}${profile.env['PATH']}`,
};
/** OpenClaw itself takes a quarter of a minute to start. */
const START_MS = 120_000;

beforeAll(installClients, INSTALL_MS);

test.concurrent('npx finds it, and it serves one tool on a stdout that has nothing else', async () => {
  verifies('001-start-command', '001-start-stdout-clean', '001-config-npx', '002-usage-verbose');
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['openclaw', 'mcp-server', '--verbose'],
    cwd: INSTALLED,
    env,
    stderr: 'pipe',
  });
  const stderr = text(transport.stderr as Readable);
  const client = new Client(CLIENT_INFO);
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport, { timeout: START_MS });
  const below = descendants(transport.pid!);
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['order_openclaw']);
    expect(await ordererOf(client).ask('by the plugin')).toBe('echo: by the plugin');
  } finally {
    await client.close();
  }
  expect(errors).toEqual([]);
  expect(await stderr).toContain('"tool":"order_openclaw"');
  expect(below.length).toBeGreaterThan(0);
  expect(await eventually(() => below.every(({ pid }) => !isAlive(pid)), 60_000)).toBe(true);
});

test.concurrent('Claude Code has it by the entry of the page, and orders', async () => {
  verifies('001-start-client-config', '002-usage-claude-code');
  const entry = { command: 'openclaw', args: ['mcp-server'], env };
  const call = { name: inClaude('order_openclaw'), input: { message: 'from Claude Code' } };
  const { printed } = await claudeTurn({ entry, calls: [call], env: { MCP_TIMEOUT: String(START_MS) } });
  expect(printed).toContain('echo: from Claude Code');
});

test.concurrent('`openclaw sessions` lists a conversation that had a key', async () => {
  verifies('001-trouble-sessions-listed');
  await using server = await startMcpServer(ownerEnv(profile));
  const mark = crypto.randomUUID();
  await server.ask(`remember ${mark}`, mark);
  const { sessions } = JSON.parse(await host.openclawOk(['sessions', '--json'])) as {
    sessions: { key: string }[];
  };
  const own = sessionKeyFor({ caller: LOCAL_CALLER, key: mark });
  expect(sessions.map(({ key }) => key)).toContain(`agent:main:${own}`);
});

test('an order has what the owner has, who writes to the agent by OpenClaw itself', async () => {
  verifies('001-security-authorized', '001-flow-internal', '002-integration-reply');
  await using server = await startMcpServer(ownerEnv(profile));
  await using operator = await host.operator();
  const [ours, theirs] = [crypto.randomUUID(), crypto.randomUUID()];
  await Promise.all([server.ask(ours), operator.chat(`agent:main:${theirs}`, theirs)]);
  const [order, chat] = await Promise.all([ours, theirs].map(async (mark) => (await host.asked(mark))[0]!));
  expect(order!.tools.length).toBeGreaterThan(20);
  expect(order!.tools).toEqual(chat!.tools);
  expect(order!.system).toBe(chat!.system);
});
