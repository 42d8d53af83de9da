/** Fifty stdio servers behind one hub: a hundred callers share them, and a restart lists them before any of them runs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { callText, INITIALIZE, listText, parseAnswer, textOf } from '../kit/messages.ts';
import { descendants, eventually, isSame } from '../kit/processes.ts';
import type { TenToolsAnswer } from '../servers/ten-tools.ts';
import { verifies } from '../verifies.ts';

const PROGRAM = fileURLToPath(new URL('../servers/ten-tools.ts', import.meta.url));
const SERVERS = Array.from({ length: 50 }, (_, index) => `s${String(index).padStart(2, '0')}`);
const servers = Object.fromEntries(
  SERVERS.map((name) => [name, { command: process.execPath, args: [PROGRAM, name] }]),
);
/** 64 calls at once are one token's share. */
const TOKENS = 4;
const ROUNDS = 4;
/** Long enough for all callers to be under way at once, and short enough for nobody to mind. */
const CALL_MS = 100;

const folder = mkdtempSync(join(tmpdir(), 'pincer-fifty-'));
const home = join(folder, 'home');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sends one message and gives back its answer. */
type Caller = (message: string) => Promise<string>;

async function overHttp(hub: TestHub, token: string, hasSession: boolean): Promise<Caller> {
  const connection = hub.connect(token);
  const session = hasSession ? (await connection.post(INITIALIZE)).headers['mcp-session-id'] : '';
  const headers = { 'mcp-session-id': String(session) };
  return async (message) => (await connection.post(message, { headers })).messages.at(-1) ?? '';
}

function overPipe(hub: TestHub): Caller {
  const client = hub.stdio();
  return (message) => client.ask(message);
}

/** 40 with the hub's token and 48 with others, half of them with a session, and 12 on pipes. */
async function hundredCallers(hub: TestHub): Promise<Caller[]> {
  const tokens = await Promise.all(
    Array.from({ length: TOKENS }, async (_, index) => {
      const { value } = await hub.control('POST', 'tokens', { name: `guest-${index}` });
      return (value as { token: string }).token;
    }),
  );
  const over = Array.from({ length: 88 }, (_, index) =>
    overHttp(hub, index < 40 ? hub.token : tokens[index % TOKENS]!, index % 2 === 0),
  );
  return [...(await Promise.all(over)), ...Array.from({ length: 12 }, () => overPipe(hub))];
}

/** Calls one tool after the other, each of another server; gives back who answered. */
async function callInTurn(caller: Caller, number: number, rounds = ROUNDS): Promise<TenToolsAnswer[]> {
  const answers: TenToolsAnswer[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = SERVERS[(number + round * 13) % SERVERS.length]!;
    const tool = `tool_${(number + round) % 10}`;
    const marker = `caller ${number} round ${round}`;
    const args = JSON.stringify({ marker, ms: CALL_MS });
    const text = textOf(
      parseAnswer(await caller(callText(`${server}__${tool}`, { args, id: String(round) }))),
    );
    const answer = JSON.parse(text) as TenToolsAnswer;
    expect(answer).toEqual({ server, tool, marker, pid: answer.pid });
    answers.push(answer);
  }
  return answers;
}

const childPids = (hub: TestHub): number[] => descendants(hub.pid).map(({ pid }) => pid);

async function toolCount(hub: TestHub): Promise<number> {
  const { messages } = await hub.post(listText());
  return (parseAnswer(messages.at(-1)!).result!['tools'] as unknown[]).length;
}

it('a hundred callers share fifty children, each gets its own answers, and none is left at the end', async () => {
  verifies('004-12.2-max-concurrent');
  await using hub = await startHub({ home, servers });
  expect(await eventually(async () => (await toolCount(hub)) === 500)).toBe(true);
  const children = descendants(hub.pid);
  expect(children).toHaveLength(50);

  const callers = await hundredCallers(hub);
  const seen: number[][] = [];
  let isOver = false;
  const calls = Promise.all(callers.map((caller, number) => callInTurn(caller, number))).finally(
    () => (isOver = true),
  );
  await eventually(() => {
    seen.push(childPids(hub));
    return isOver;
  });
  const answers = (await calls).flat();
  seen.push(childPids(hub));
  const pids = children.map(({ pid }) => pid);
  for (const each of seen) expect(each).toEqual(pids);
  const answeredBy = new Set(answers.map(({ server, pid }) => `${server} ${pid}`));
  expect(answeredBy.size).toBe(50);
  expect(new Set(answers.map(({ pid }) => pid))).toEqual(new Set(pids));

  expect(await hub.stop()).toBe(0);
  expect(children.filter(isSame)).toEqual([]);
});

it('after a restart all tools are listed while no child exists, and a call starts the one server that it needs', async () => {
  // What is known starts later by itself, so late here that nothing is started but what is asked for.
  await using hub = await startHub({
    home,
    servers,
    config: { limits: { knownStartMs: 120_000 } },
    ready: false,
  });
  expect(await toolCount(hub)).toBe(500);
  expect(childPids(hub)).toEqual([]);
  const [answer] = await callInTurn(await overHttp(hub, hub.token, false), 7, 1);
  expect(childPids(hub)).toEqual([answer!.pid]);
});
