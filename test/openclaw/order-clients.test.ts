/** Clients that nobody here wrote order by `pincer mcp-server`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { makeHome, type Home } from '../clients/home.ts';
import { INSTALL_MS, installClients } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { connectSdkV1 } from '../clients/sdk-v1.ts';
import { claudeTurn, inClaude } from '../kit/claude-turn.ts';
import { isDeep } from '../kit/depth.ts';
import { mcpServerProgram } from '../kit/mcp-server.ts';
import { openHost } from '../kit/openclaw/host.ts';

const { profile } = openHost(inject('openclaw'));
/** Where OpenClaw is; the clients have homes of their own. */
const entry = mcpServerProgram({ OPENCLAW_STATE_DIR: profile.state, PINCER_KEYCHAIN: 'off' });
const { command, args } = entry;
const ENV = Object.entries(entry.env).map(([name, value]) => `${name}=${value}`);
const SAID = 'from another cliënt';
const HEARD = `echo: ${SAID}`;

beforeAll(installClients, INSTALL_MS);

it('the first SDK lists and calls', async () => {
  await using client = await connectSdkV1({ ...entry, stderr: 'ignore' });
  expect(await client.listTools()).toEqual(['order_openclaw']);
  const result = await client.callTool('order_openclaw', { message: SAID });
  expect(result).toMatchObject({ content: [{ type: 'text', text: HEARD }] });
});

it.runIf(isDeep)('mcporter lists and calls', async () => {
  using home = makeHome();
  const config = join(home.folder, 'mcporter.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { openclaw: entry }, imports: [] }));
  const mcporter = (...words: string[]) =>
    home.run(process.execPath, [PROGRAMS.mcporter, '--config', config, ...words]);
  const { servers } = JSON.parse(await mcporter('list', '--json')) as {
    servers: { tools: { name: string }[] }[];
  };
  expect(servers.flatMap(({ tools }) => tools.map(({ name }) => name))).toEqual(['order_openclaw']);
  expect(await mcporter('call', 'openclaw.order_openclaw', `message=${SAID}`)).toBe(`${HEARD}\n`);
});

it.runIf(isDeep)('the Inspector lists and calls', async () => {
  using home = makeHome();
  const ask = async (...words: string[]): Promise<unknown> => {
    const flags = ENV.flatMap((one) => ['-e', one]);
    const all = [PROGRAMS.inspector, '--cli', ...flags, command, ...args, '--method', ...words];
    return JSON.parse(await home.run(process.execPath, all));
  };
  expect(await ask('tools/list')).toMatchObject({ tools: [{ name: 'order_openclaw' }] });
  const call = ['tools/call', '--tool-name', 'order_openclaw', '--tool-arg', `message=${SAID}`];
  expect(await ask(...call)).toMatchObject({ content: [{ type: 'text', text: HEARD }] });
});

describe('Claude Code', () => {
  const claudeMcp = (home: Home, ...words: string[]): Promise<string> =>
    home.run(process.execPath, [PROGRAMS.claude, 'mcp', ...words]);

  it.runIf(isDeep)('connects', async () => {
    using home = makeHome();
    await claudeMcp(home, 'add', 'openclaw', ...ENV.flatMap((one) => ['--env', one]), '--', command, ...args);
    const listed = await claudeMcp(home, 'list');
    expect(listed).toContain(`openclaw: ${[command, ...args].join(' ')} - ✔ Connected`);
  });

  it('orders in the middle of a turn of its own', async () => {
    const call = { name: inClaude('order_openclaw'), input: { message: SAID } };
    const { printed } = await claudeTurn({ entry: { type: 'stdio', ...entry }, calls: [call] });
    expect(printed).toContain(HEARD);
  });
});
