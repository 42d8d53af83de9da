/** The load process. Reads a LoadSpec from stdin, prints a LoadResult. */
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcesses, readTree } from '../process/proc.ts';
import { openSession } from './session.ts';
import type { LoadResult, LoadSpec } from './spec.ts';
import type { Session, Target } from './target.ts';
import { startWorkers } from './workers.ts';

const OPEN_AT_ONCE = 8;
const RSS_SAMPLE_MS = 250;

async function openSessions({ target, inFlight }: LoadSpec): Promise<Session[]> {
  const sessions: Session[] = [];
  while (sessions.length < inFlight) {
    const opening = sessions.length;
    const length = Math.min(OPEN_AT_ONCE, inFlight - opening);
    const opened = Array.from({ length }, (_, index) => openSession(callerOf(target, opening + index)));
    sessions.push(...(await Promise.all(opened)));
  }
  return sessions;
}

const callerOf = (target: Target, index: number): Target => ({
  ...target,
  headers: (index % 2 === 1 ? target.otherHeaders : undefined) ?? target.headers,
  tool: target.tools?.[index % target.tools.length] ?? target.tool,
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percentile(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.floor(sorted.length * share));
  return sorted[index] ?? Number.NaN;
}

async function run(spec: LoadSpec): Promise<LoadResult> {
  const rssOf = (): number => sum(readProcesses(spec.own).map(({ rssBytes }) => rssBytes));
  const cpuOf = (): number[] => readProcesses(spec.own).map(({ cpuMicros }) => cpuMicros);
  const treeOf = (): { cpuMicros: number; rssBytes: number; processes: number } => {
    const tree = readTree(spec.own);
    return {
      cpuMicros: sum(tree.map(({ cpuMicros }) => cpuMicros)),
      rssBytes: sum(tree.map(({ rssBytes }) => rssBytes)),
      processes: tree.length,
    };
  };

  const openingAt = performance.now();
  const sessions = await openSessions(spec);
  const sessionsOpenedMs = performance.now() - openingAt;

  const workers = startWorkers(sessions, spec.pauseMs);
  await sleep(spec.warmUpMs);

  let rssPeakBytes = 0;
  const sampler = setInterval(() => {
    rssPeakBytes = Math.max(rssPeakBytes, rssOf());
  }, RSS_SAMPLE_MS);
  const treeBefore = treeOf();
  const cpuBefore = cpuOf();
  const loaderBefore = process.cpuUsage();
  const startedAt = performance.now();
  workers.startRecording();
  await sleep(spec.measureMs);
  workers.stopRecording();
  const seconds = (performance.now() - startedAt) / 1000;
  const loader = process.cpuUsage(loaderBefore);
  const cpuAfter = cpuOf();
  const treeAfter = treeOf();
  clearInterval(sampler);
  rssPeakBytes = Math.max(rssPeakBytes, rssOf());
  await workers.stop();

  const latencies = workers.latenciesMs.sort((a, b) => a - b);
  const calls = latencies.length;
  const byProcess = cpuAfter.map((micros, index) => (micros - (cpuBefore[index] ?? 0)) / calls);
  const result: LoadResult = {
    inFlight: spec.inFlight,
    seconds,
    calls,
    errors: workers.errors(),
    errorSamples: workers.errorSamples(),
    callsPerSecond: calls / seconds,
    p50Ms: percentile(latencies, 0.5),
    p90Ms: percentile(latencies, 0.9),
    p99Ms: percentile(latencies, 0.99),
    maxMs: percentile(latencies, 1),
    cpuMicrosPerCall: sum(byProcess),
    cpuMicrosPerCallByProcess: byProcess,
    treeCpuMicrosPerCall: (treeAfter.cpuMicros - treeBefore.cpuMicros) / calls,
    loaderCpuMicrosPerCall: (loader.user + loader.system) / calls,
    rssPeakBytes,
    treeRssBytes: treeAfter.rssBytes,
    treeProcesses: treeAfter.processes,
    sessionsOpenedMs,
  };
  await Promise.allSettled(sessions.map((session) => session.close()));
  return result;
}

const result = await run((await json(process.stdin)) as LoadSpec);
// Write the answer before the process ends, even if a connection is still open.
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
