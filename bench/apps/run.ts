/** `npm run bench:apps`: calls that reach an app over its bridge, and ten thousand apps at once. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPincer, installPeers } from '../prepare.ts';
import { BENCH_FOLDER, ROOT_FOLDER } from '../process/folders.ts';
import { runBench } from '../process/run-bench.ts';
import { machineFacts, sourceState } from '../report/machine.ts';
import { installedVersion } from '../subjects/installed.ts';
import { callProblems, callsReport } from './calls-report.ts';
import { measureCalls, type RowRounds } from './calls.ts';
import { handProxyDigest, handWritten } from './hand-written.ts';
import { localRelay, RELAY_PACKAGE } from './local-relay.ts';
import { pincer, RAISED_LIMITS } from './pincer.ts';
import type { AppsResult } from './result.ts';
import { scaleReport } from './scale-report.ts';
import { measureHandWrittenScale, measurePincerScale, type ScaleResult } from './scale.ts';

const SYSTEMS = [handWritten, pincer, localRelay];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '1' },
    sessions: { type: 'string', default: '10000' },
    intervals: { type: 'string', default: '2' },
    cases: { type: 'string', default: 'calls,scale' },
    tools: { type: 'string', default: 'equal,distinct' },
    only: { type: 'string', default: SYSTEMS.map(({ name }) => name).join(',') },
    built: { type: 'boolean', default: false },
  },
});
const only = values.only.split(',');
const cases = values.cases.split(',');
const onProgress = (text: string): void => console.error(text);

async function calls(): Promise<RowRounds[]> {
  if (!cases.includes('calls')) return [];
  return await measureCalls({
    systems: SYSTEMS.filter(({ name }) => only.includes(name)),
    rounds: Number(values.rounds),
    measureMs: Number(values.seconds) * 1000,
    onProgress,
  });
}

async function scale(): Promise<ScaleResult[]> {
  if (!cases.includes('scale')) return [];
  const plan = { sessions: Number(values.sessions), intervals: Number(values.intervals), onProgress };
  const results: ScaleResult[] = [];
  if (only.includes('hand-written')) results.push(await measureHandWrittenScale(plan));
  if (only.includes('pincer'))
    for (const tools of ['equal', 'distinct'] as const)
      if (values.tools.split(',').includes(tools)) results.push(await measurePincerScale(tools, plan));
  return results;
}

function report(result: AppsResult): string {
  const { machine } = result;
  const limits = Object.entries(result.raisedLimits).map(([name, value]) => `limits.${name}=${value}`);
  return [
    ...callsReport(result.calls),
    ...scaleReport(result.scale),
    `Pincer with its defaults, except for rate limits that would stop a benchmark: ${limits.join(', ')}`,
    `${machine.cpus} × ${machine.cpu}, Node ${machine.node}, ${RELAY_PACKAGE} ${result.relay}, load average ${machine.loadAverageBefore[0]?.toFixed(1)} before and ${machine.loadAverageAfter[0]?.toFixed(1)} after`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function save(result: AppsResult, text: string): string {
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const name = join(folder, `apps-${result.date.slice(0, 10)}-${result.commit}`);
  writeFileSync(`${name}.json`, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(`${name}.txt`, `${text}\n`);
  return relative(ROOT_FOLDER, `${name}.json`);
}

async function main(): Promise<void> {
  installPeers();
  if (!values.built) buildPincer();
  const loadAverageBefore = loadavg();
  const measured = { calls: await calls(), scale: await scale() };
  const result: AppsResult = {
    date: new Date().toISOString(),
    ...sourceState(),
    machine: machineFacts(loadAverageBefore),
    floorSha256: handProxyDigest(),
    relay: installedVersion(RELAY_PACKAGE),
    raisedLimits: RAISED_LIMITS,
    ...measured,
  };
  const text = report(result);
  console.log(text);
  console.error(`\nAll rounds: ${save(result, text)}`);
  if (callProblems(result.calls).length > 0) process.exitCode = 1;
}

await runBench(main);
