/** More than a thousand faults of children, in rounds: whatever happens, every call ends in one way, and nothing is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startHub, type TestHub } from '../kit/hub.ts';
import { inspect, type Memory } from '../kit/inspector.ts';
import type { Answer } from '../kit/messages.ts';
import { descendants, eventually, isSame } from '../kit/processes.ts';
import { serverStatus } from '../kit/status.ts';
import { programArgs } from '../servers/program.ts';

/** One to warm up, in which what runs often is compiled; then those that are compared. */
const ROUNDS = 6;
const SERVERS = 20;
const FAULTS_PER_SERVER = 10;
const CRASHING = fileURLToPath(new URL('../servers/crashing.ts', import.meta.url));

type Fault = (hub: TestHub, server: string, pid: number) => unknown;
const FAULTS: readonly (readonly [name: string, fault: Fault])[] = [
  ['SIGKILL', (_hub, _server, pid) => process.kill(pid, 'SIGKILL')],
  ['SIGSTOP', (_hub, _server, pid) => process.kill(pid, 'SIGSTOP')],
  ['garbage', (hub, server) => hub.call(`${server}__garbage`)],
  ['endless line', (hub, server) => hub.call(`${server}__endless`)],
  ['closed pipe', (hub, server) => hub.call(`${server}__mute`)],
  ['exit during a call', (hub, server) => hub.call(`${server}__exit`)],
];

/** The one outcome that an answer stands for. */
function outcomeOf({ result, error }: Answer): string {
  if (result !== undefined) return 'ok';
  const { outcome } = (error?.data ?? {}) as { outcome?: string };
  return outcome ?? `none: ${JSON.stringify(error)}`;
}

async function inflict(hub: TestHub, server: string, turn: number, seen: Map<string, number>): Promise<void> {
  const [name, fault] = FAULTS[turn % FAULTS.length]!;
  const pid = (await serverStatus(hub, server)).pid;
  if (pid === undefined) throw new Error(`${server} does not run before ${name}`);
  const underWay = [1, 2].map(() => hub.call(`${server}__wait`, { ms: 300 }));
  await sleep(10);
  const own = fault(hub, server, pid);
  const answers = await Promise.all([
    ...underWay,
    ...(own instanceof Promise ? [own as Promise<Answer>] : []),
  ]);
  for (const outcome of answers.map(outcomeOf)) {
    const key = `${name}: ${outcome}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const isBack = await eventually(async () => outcomeOf(await hub.call(`${server}__echo`)) === 'ok', 60_000);
  if (!isBack) throw new Error(`${server} did not come back after ${name}`);
}

it(`survives ${ROUNDS * SERVERS * FAULTS_PER_SERVER} faults of children`, { timeout: 600_000 }, async () => {
  const names = Array.from({ length: SERVERS }, (_, index) => `s${index}`);
  const server = { command: process.execPath, args: programArgs(CRASHING), requestTimeoutMs: 1_500 };
  await using hub = await startHub({
    servers: Object.fromEntries(names.map((name) => [name, server])),
    config: { limits: { maxMessageBytes: 1_048_576, heartbeatMs: 500, maxCallsPerCredential: 256 } },
    nodeArgs: ['--inspect=127.0.0.1:0'],
  });
  const url = /ws:\/\/\S+/.exec(hub.stderr())?.[0];
  const inspector = await inspect(url!);
  const seen = new Map<string, number>();
  const children = new Map<string, { pid: number; start: string }>();
  const memory: Memory[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      names.map(async (name, lane) => {
        for (let turn = 0; turn < FAULTS_PER_SERVER; turn++) {
          await inflict(hub, name, lane + round + turn, seen);
          for (const child of descendants(hub.pid)) children.set(`${child.pid} ${child.start}`, child);
        }
      }),
    );
    memory.push(await inspector.memory());
  }
  console.log(`outcomes: ${JSON.stringify(Object.fromEntries(seen))}`);
  console.log(`memory: ${memory.map(({ heap, external }) => `${heap}+${external}`).join(' ')}`);
  const kinds = new Set([...seen.keys()].map((key) => key.split(': ').slice(1).join(': ')));
  expect([...kinds].filter((kind) => !['ok', 'not_executed', 'outcome_unknown'].includes(kind))).toEqual([]);
  // What a child that is just being ended had sent is let go of with its pipe; what leaks stays.
  const first = memory[1]!;
  await expect
    .poll(() => inspector.memory(), { timeout: 20_000, interval: 500 })
    .toSatisfy(
      ({ heap, external }: Memory) => heap <= first.heap * 1.1 && external <= first.external * 1.1 + 65_536,
    );
  // A process with a debugger attached does not end.
  await inspector[Symbol.asyncDispose]();
  expect(await hub.stop()).toBe(0);
  const left = (): object[] => [...children.values()].filter(isSame);
  await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  expect(children.size).toBeGreaterThan(SERVERS);
});
