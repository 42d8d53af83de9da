/** Where OpenClaw has a channel: `/mcp` over it, and orders, which have nothing to do with it. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startMcpServer } from '../kit/mcp-server.ts';
import { whenApplied } from '../kit/openclaw/applied.ts';
import { openHost } from '../kit/openclaw/host.ts';
import { ownerEnv } from '../kit/openclaw/order.ts';
import { startTelegram, type Telegram } from '../kit/openclaw/telegram.ts';
import type { JsonObject } from '../servers/json.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const { profile } = host;
const OWNER = 1001;
const FRIEND = 1002;

let telegram: Telegram;
let before: JsonObject;

beforeAll(async () => {
  telegram = await startTelegram();
  before = profile.readConfig();
  profile.writeConfig({
    ...before,
    commands: { ownerAllowFrom: [`telegram:${OWNER}`] },
    channels: { telegram: telegram.channel([OWNER, FRIEND]) },
  });
  await telegram.whenHeard();
  await whenApplied(host);
});

afterAll(async () => {
  const { commands: _commands, channels: _channels, ...rest } = profile.readConfig();
  profile.writeConfig({ ...rest, ...('commands' in before && { commands: before['commands'] }) });
  await whenApplied(host);
  await telegram[Symbol.asyncDispose]();
});

test('the owner looks and changes, in a block that keeps its columns', async () => {
  const list = await telegram.write(OWNER, '/mcp servers');
  expect(list).toMatch(/^<pre><code>MCP Servers \(\d+ configured\)\n─{58}\n {2}\S/);
  expect(list).toMatch(/\n {2}everything {6}stdio:\/\/.*\n {18}Status: Running/);
  expect(await telegram.write(OWNER, '/mcp refresh everything')).toMatch(/everything: \d+ tools/);
});

test('somebody else, who may talk to the agent, gets nothing from /mcp', async () => {
  expect(await telegram.write(FRIEND, '/mcp refresh everything')).toContain('requires authorization');
});

/** Where a conversation's answers go. */
const ROUTE = ['deliveryContext', 'lastChannel', 'lastTo'];

test('an order and its answer are on no channel, although the agent has one and talks there', async () => {
  verifies('002-2-in-band', '002-2-no-originating-channel');
  expect(await telegram.write(OWNER, 'hello from a chat')).toContain('hello from a chat');
  await using server = await startMcpServer(ownerEnv(profile));
  expect(await server.ask('hello from a program', 'beside a chat')).toBe('echo: hello from a program');
  await using operator = await host.operator();
  const { sessions } = await operator.rpc('sessions.list', {});
  const routes = (sessions as JsonObject[]).map((session) => ({
    key: session['key'] as string,
    route: JSON.stringify(ROUTE.map((name) => session[name] ?? null)),
  }));
  const isOurs = ({ key }: { key: string }): boolean => key.startsWith('agent:main:mcp:');
  expect(routes.some((each) => !isOurs(each) && each.route.includes('telegram'))).toBe(true);
  expect(routes.filter(isOurs).length).toBeGreaterThan(0);
  for (const { route } of routes.filter(isOurs)) expect(route).toBe('[null,null,null]');
  expect(telegram.sent.filter(({ text }) => text.includes('from a program'))).toEqual([]);
});
