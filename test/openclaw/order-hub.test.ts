/** The same tool on the hub's own endpoint, beside its other servers. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { EVERYTHING } from '../clients/everything.ts';
import { connectSdkV2 } from '../clients/sdk-v2.ts';
import { run } from '../clients/run.ts';
import { ENTRY, startHub, type TestHub } from '../kit/hub.ts';
import { startMcpServer } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { offeredTools } from '../kit/openclaw/offered.ts';
import { gatewayOnly, ownerEnv } from '../kit/openclaw/order.ts';
import { ownHub } from '../kit/openclaw/own-hub.ts';
import { verifies } from '../verifies.ts';

const NAME = 'order_openclaw';
const host = openHost(inject('openclaw'));
const { config, env } = gatewayOnly(host.profile);
let hub: TestHub;

beforeAll(async () => {
  hub = await startHub({ config, env, servers: { everything: EVERYTHING } });
});
afterAll(() => hub?.[Symbol.asyncDispose]());

describe.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const)('over HTTP, in the era of %s', (version, mode) => {
  test.each([
    ['/mcp', ['everything__echo', NAME]],
    ['/mcp/agent', [NAME]],
  ])('%s has the tool under its name', async (path, names) => {
    verifies('001-transport-stdio-only', '001-limits-single-tool', '002-4-stdio');
    await using client = await connectSdkV2({ url: hub.origin + path, token: hub.token }, mode);
    expect(client.version).toBe(version);
    const listed = await client.listTools();
    expect(listed).toEqual(expect.arrayContaining(names));
    if (path !== '/mcp') expect(listed).toEqual(names);
    const result = await client.callTool(NAME, { message: 'over HTTP' });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'echo: over HTTP' }] });
  });
});

test('pincer call has it as agent.order_openclaw', async () => {
  const args = [ENTRY, 'call', `agent.${NAME}`, 'message=hi'];
  const options = { cwd: hub.home, env: { ...env, PINCER_HOME: hub.home } };
  expect(await run(process.execPath, args, options)).toBe('echo: hi\n');
});

test('a hub that knows of no OpenClaw does not offer it', async () => {
  const { OPENCLAW_GATEWAY_TOKEN: _, ...nobody } = env;
  await using other = await startHub({ env: nobody });
  await using client = await connectSdkV2({ url: other.url, token: other.token }, 'auto');
  expect(await client.listTools()).not.toContain(NAME);
});

describe('the hub of the plugin', () => {
  const own = ownHub(host.profile);

  test('offers it to people, who are the same caller as by mcp-server', async () => {
    const target = { url: `${own.origin()}/mcp`, token: own.mcpToken() };
    await using client = await connectSdkV2(target, 'auto');
    expect(await client.listTools()).toContain(NAME);
    await using server = await startMcpServer(ownerEnv(host.profile));
    const sessionKey = crypto.randomUUID();
    await server.ask('It was said to mcp-server.', sessionKey);
    const result = await client.callTool(NAME, { message: 'what did I say?', sessionKey });
    expect(result).toMatchObject({ content: [{ text: 'SAID((It was said to mcp-server.))' }] });
  });

  test('does not offer it to OpenClaw', async () => {
    await using operator = await host.operator();
    const offered = await offeredTools(host, operator);
    expect(offered).toContain('everything__echo');
    expect(offered.filter((name) => name.includes('order'))).toEqual([]);
    const response = await own.control('POST tokens', { name: 'like-openclaw', openClaw: true });
    const { token } = (await response.json()) as { token: string };
    await using client = await connectSdkV2({ url: `${own.origin()}/mcp`, token }, 'auto');
    expect(await client.listTools()).not.toContain(NAME);
    const result = await client.callTool(NAME, { message: 'to myself' });
    expect(result).toMatchObject({ isError: true, _meta: { 'pincer/error': { outcome: 'not_executed' } } });
    await own.control('DELETE tokens?name=like-openclaw');
  });

  test('is not used by an agent of OpenClaw to order from itself', async () => {
    await using operator = await host.operator();
    const command = `${process.execPath} ${ENTRY} call agent.${NAME} message=again`;
    const said = await operator.chat('agent:main:order-hub', `call:exec ${JSON.stringify({ command })}`);
    expect(said).toContain('An agent of OpenClaw cannot give orders to OpenClaw.');
  });
});
