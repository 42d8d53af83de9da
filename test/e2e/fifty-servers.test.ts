/**
 * Fifty stdio servers behind one hub: a hundred callers share them, and a restarted hub lists them before it starts
 * any.
 */
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
/** One token may have 64 calls in flight. */
const TOKENS = 4;
const ROUNDS = 4;
/** Long enough for all callers to overlap, and short enough for a quick test. */
const CALL_MS = 100;

const folder = mkdtempSync(join(tmpdir(), 'pincer-fifty-'));
const home = join(folder, 'home');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sends one message and returns its answer. */
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

/** 40 callers with the hub's token and 48 with others, half of them with a session, and 12 on pipes. */
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

/** Calls one tool after the other, each on another server, and returns the answers. */
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

it('serves a hundred callers with fifty children, each with its own answers, and leaves none running', async () => {
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

it('lists all tools after a restart without a child, and a call starts only the server it needs', async () => {
  // Known servers also start by themselves; the delay here prevents that.
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
