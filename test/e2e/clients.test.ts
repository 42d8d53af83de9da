/** Third-party clients without a model list and call server-everything through the hub. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ECHO,
  HEARD,
  HEARD_RESULT,
  SAID,
  startEverythingHub,
  type EverythingHub,
} from '../clients/everything-hub.ts';
import { makeHome, type Home } from '../clients/home.ts';
import { INSTALL_MS } from '../clients/install.ts';
import { PROGRAMS } from '../clients/programs.ts';
import { connectSdkV1 } from '../clients/sdk-v1.ts';
import { connectSdkV2 } from '../clients/sdk-v2.ts';
import type { Target, ToolClient } from '../clients/tool-client.ts';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

let hub: EverythingHub;

beforeAll(async () => {
  hub = await startEverythingHub();
}, INSTALL_MS + 60_000);

afterAll(() => hub?.[Symbol.asyncDispose]());

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
  ['stdio', () => hub.pipe],
];

describe.each(TARGETS)('over %s', (_transport, target) => {
  it.each(SDKS)('%s lists and calls', async (_name, connect, version) => {
    await using client = await connect(target());
    expect(client.version).toBe(version);
    expect((await client.listTools()).sort()).toEqual(hub.tools);
    expect(await client.callTool(ECHO, { message: SAID })).toMatchObject(HEARD_RESULT);
    // The SDKs validate the result against the schema in the tool list.
    expect(
      await client.callTool('everything__get-structured-content', { location: 'Chicago' }),
    ).toMatchObject({ structuredContent: { temperature: expect.any(Number) } });
  });
});

it('curl lists and calls without a handshake', async () => {
  using home = makeHome();
  const ask = async (method: string, params: object): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const args = ['-sS', '--fail-with-body', '-H', hub.bearer, '--json', body, hub.url];
    return (JSON.parse(await home.run('curl', args)) as { result: unknown }).result;
  };
  const { tools } = (await ask('tools/list', {})) as { tools: unknown };
  expect(namesOf(tools)).toEqual(hub.tools);
  const result = await ask('tools/call', { name: ECHO, arguments: { message: SAID } });
  expect(result).toEqual(HEARD_RESULT);
});

it.each([
  ['HTTP', () => hub.http],
  ['stdio', () => hub.pipe],
])('mcporter over %s lists and calls', async (_transport, entry) => {
  using home = makeHome();
  const config = join(home.folder, 'mcporter.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { pincer: entry() }, imports: [] }));
  const mcporter = (...args: string[]) =>
    home.run(process.execPath, [PROGRAMS.mcporter, '--config', config, ...args]);
  const { servers } = JSON.parse(await mcporter('list', '--json')) as { servers: { tools: unknown }[] };
  expect(servers.flatMap(({ tools }) => namesOf(tools))).toEqual(hub.tools);
  expect(await mcporter('call', `pincer.${ECHO}`, `message=${SAID}`)).toBe(`${HEARD}\n`);
});

describe.each([
  ['HTTP', () => [hub.url, '--transport', 'http', '--header', hub.bearer]],
  ['stdio', () => ['-e', `PINCER_HOME=${hub.home}`, hub.pipe.command, ...hub.pipe.args]],
])('the Inspector over %s', (_transport, where) => {
  const ask = async (home: Home, ...args: string[]): Promise<Record<string, unknown>> => {
    const printed = await home.run(process.execPath, [
      PROGRAMS.inspector,
      '--cli',
      ...where(),
      '--method',
      ...args,
    ]);
    return JSON.parse(printed) as Record<string, unknown>;
  };

  it('lists and calls', async () => {
    using home = makeHome();
    expect(namesOf((await ask(home, 'tools/list'))['tools'])).toEqual(hub.tools);
    const result = await ask(home, 'tools/call', '--tool-name', ECHO, '--tool-arg', `message=${SAID}`);
    expect(result).toEqual(HEARD_RESULT);
  });

  it('reads a resource and gets a prompt', async () => {
    using home = makeHome();
    const uri = 'demo://resource/static/document/features.md';
    const { contents } = await ask(home, 'resources/read', '--uri', uri);
    expect(contents).toMatchObject([{ uri, text: expect.stringContaining('# ') }]);
    const args = ['--prompt-name', 'everything__args-prompt', '--prompt-args', 'city=Chicago'];
    const { messages } = await ask(home, 'prompts/get', ...args);
    expect(messages).toMatchObject([{ content: { text: "What's weather in Chicago?" } }]);
  });
});
