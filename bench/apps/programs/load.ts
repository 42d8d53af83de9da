/** The load process: opens sessions and calls them on command, one closed loop for each call in flight. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../../load/target.ts';
import { startWorkers } from '../../load/workers.ts';
import { readProcesses } from '../../process/proc.ts';
import { obeyParent } from '../child.ts';
import { type HttpTarget, openHttpSession } from '../http-session.ts';
import { startStdioServer, type StdioTarget } from '../stdio-session.ts';

export type LoadCommand =
  | { kind: 'http'; name: string; target: HttpTarget; sessions: number }
  | { kind: 'stdio'; name: string; target: StdioTarget; sessions: number }
  | { kind: 'run'; name: string; inFlight: number; restMs: number; measureMs: number; own: number };

/** The result of a run, or the process id of an opened stdio server. */
export interface LoadAnswer {
  pid?: number;
  run?: CallRun;
}

export interface CallRun {
  inFlight: number;
  calls: number;
  errors: number;
  errorSamples: string[];
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the proxy's process per call. */
  cpuMicrosPerCall: number;
  rssBytes: number;
}

const opened = new Map<string, Session[]>();

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

async function run({ name, inFlight, restMs, measureMs, own }: RunCommand): Promise<CallRun> {
  const sessions = opened.get(name);
  if (sessions === undefined) throw new Error(`${name} is not open`);
  const cpuOf = (): number => readProcesses([own])[0]?.cpuMicros ?? Number.NaN;
  const workers = startWorkers(sessions.slice(0, inFlight));
  await sleep(restMs);
  const cpuBefore = cpuOf();
  const startedAt = performance.now();
  workers.startRecording();
  await sleep(measureMs);
  workers.stopRecording();
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMicros = cpuOf() - cpuBefore;
  await workers.stop();
  const sorted = workers.latenciesMs.toSorted((a, b) => a - b);
  return {
    inFlight,
    calls: sorted.length,
    errors: workers.errors(),
    errorSamples: workers.errorSamples(),
    callsPerSecond: sorted.length / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuMicrosPerCall: cpuMicros / sorted.length,
    rssBytes: readProcesses([own])[0]?.rssBytes ?? Number.NaN,
  };
}

type RunCommand = Extract<LoadCommand, { kind: 'run' }>;

obeyParent(async (command: LoadCommand): Promise<LoadAnswer> => {
  if (command.kind === 'run') return { run: await run(command) };
  const { name, sessions: length } = command;
  if (command.kind === 'http') {
    opened.set(
      name,
      Array.from({ length }, () => openHttpSession(command.target)),
    );
    return {};
  }
  const server = await startStdioServer(command.target);
  opened.set(
    name,
    Array.from({ length }, () => server.openSession()),
  );
  return { pid: server.pid };
});
