/** `/mcp` over a channel: there it is the host that knows who the owner is. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openHost } from '../kit/openclaw/host.ts';
import { startTelegram, type Telegram } from '../kit/openclaw/telegram.ts';
import type { JsonObject } from '../servers/json.ts';

const { profile } = openHost(inject('openclaw'));
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
});

afterAll(async () => {
  const { commands: _commands, channels: _channels, ...rest } = profile.readConfig();
  profile.writeConfig({ ...rest, ...('commands' in before && { commands: before['commands'] }) });
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
