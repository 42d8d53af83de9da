/** A third-party capability only has to be registered. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCliHome, type CliHome } from '../kit/cli.ts';
import { readHubFile } from '../kit/hub.ts';
import { eventually } from '../kit/processes.ts';
import { verifies } from '../verifies.ts';

const PROGRAM = join(import.meta.dirname, '../servers/own-capability.mjs');
const open = new AsyncDisposableStack();
let tell: (line: string) => Promise<void>;
let client: Client;
let cli: CliHome;
let changes = 0;

beforeAll(async () => {
  cli = open.use(openCliHome());
  const home = cli.path;
  const child = spawn(process.execPath, [PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PINCER_HOME: home, PINCER_DEVICE: 'on' },
  });
  open.defer(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout });
  tell = async (line) => {
    const heard = once(lines, 'line');
    child.stdin.write(`${line}\n`);
    await heard;
  };
  expect(await eventually(() => readHubFile(home) !== undefined, 20_000)).toBe(true);
  const { device } = readHubFile(home)!['endpoints'] as { device: string };
  const token = readFileSync(join(home, 'mcp-token.txt'), 'utf8');
  client = new Client(
    { name: 'library-test', version: '1' },
    { listChanged: { tools: { onChanged: () => void changes++ } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(device), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  open.defer(() => client.close());
});
afterAll(() => open.disposeAsync());

const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

describe('a capability registered in a running hub', () => {
  it('is announced, listed and called; the first one with a name wins', async () => {
    verifies('000-bridge-live-list', '000-summary-auto-exposed');
    expect(await names()).not.toContain('lamp.set');
    await tell('register');
    expect(await eventually(() => changes > 0, 5_000)).toBe(true);
    expect(await names()).toContain('lamp.set');
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'lamp.set')).toMatchObject({
      description: 'lamp capability: lamp.set. Sets the lamp. Returns {level}.',
      inputSchema: { required: ['level'], properties: { level: { maximum: 100 } } },
    });
    expect(tools.filter(({ name }) => name === 'device.info')).toHaveLength(1);
    const { structuredContent } = await client.callTool({ name: 'device.info', arguments: {} });
    expect(structuredContent).toHaveProperty('deviceName');
    expect(await client.callTool({ name: 'lamp.set', arguments: { level: 40 } })).toMatchObject({
      structuredContent: { level: 40 },
    });
  });

  it('returns its own errors, and reports invalid arguments', async () => {
    expect(await client.callTool({ name: 'lamp.set', arguments: { level: 13 } })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'The lamp is broken. Buy another.' }],
    });
    expect(await client.callTool({ name: 'lamp.set', arguments: { level: 'high' } })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('level') as string }],
    });
  });

  it('is available on the command line', async () => {
    verifies('000-history-device-page');
    const { code, stdout } = await cli.run(['call', 'device.lamp.set', 'level=7']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"level":7}\n' });
    expect((await cli.run(['device'])).stdout).toMatch(/lamp +– +set/);
  });

  it('disappears when it is removed', async () => {
    await tell('remove');
    expect(await names()).not.toContain('lamp.set');
    expect(await client.callTool({ name: 'lamp.set', arguments: { level: 1 } })).toMatchObject({
      isError: true,
      content: [{ text: 'Unknown tool: lamp.set' }],
    });
  });
});
