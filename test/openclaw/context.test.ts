/** What agents are told of their servers, in the requests that reach the model. */
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openHost } from '../kit/openclaw/host.ts';
import type { Operator } from '../kit/openclaw/operator.ts';
import { eventually } from '../kit/processes.ts';
import { verifies } from '../verifies.ts';

const host = openHost(inject('openclaw'));
const KEY = 'agent:main:context';
let operator: Operator;

beforeAll(async () => {
  operator = await host.operator();
});
afterAll(() => operator[Symbol.asyncDispose]());

const mcp = (text: string): Promise<string> => operator.chat(KEY, `/mcp ${text}`);

/** The whole system prompt of a turn. */
async function systemOf(said: string): Promise<string> {
  await operator.chat(KEY, said);
  const [asked] = await host.asked(said);
  return asked!.system;
}

const blockIn = (system: string): string =>
  /<available-mcp-servers>[\s\S]*<\/available-mcp-servers>/.exec(system)?.[0] ?? '';

/** The plugin hears of a change from the hub some time after whoever has made it. */
const isPublished = (what: RegExp): Promise<boolean> =>
  eventually(async () => what.test(blockIn(await systemOf(`and now? ${crypto.randomUUID()}`))), 60_000, 200);

async function pidOf(server: string): Promise<number | undefined> {
  const pid = /\(PID (\d+)\)/.exec(await mcp(`status ${server}`))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

test('agents are told which servers there are', async () => {
  verifies('004-11.3-servers-element', '004-11.3-no-tools');
  const lines = blockIn(await systemOf('first of all')).split('\n');
  expect(lines.find((line) => line.includes('name="everything"'))).toMatch(
    /^ {2}<server name="everything" tools="\d+" status="connected"\/>$/,
  );
});

test('the prompt stays the same to the letter, while a server dies and comes back', async () => {
  const before = await systemOf('before it');
  const pid = await pidOf('everything');
  process.kill(pid!, 'SIGKILL');
  expect(await systemOf('right after it')).toBe(before);
  const isBack = async (): Promise<boolean> => ![undefined, pid].includes(await pidOf('everything'));
  expect(await eventually(isBack, 60_000, 200)).toBe(true);
  expect(await systemOf('long after it')).toBe(before);
});

test('a server that somebody disconnects is told of as it is', async () => {
  await mcp('disconnect growing');
  expect(await isPublished(/name="growing" tools="0" status="stopped"/)).toBe(true);
  await mcp('refresh growing');
  expect(await isPublished(/name="growing" tools="\d+" status="connected"/)).toBe(true);
});
