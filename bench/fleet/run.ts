/** `npm run bench:fleet`: fifty stdio servers behind one hub, beside a bare script that starts them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPincer, installPeers } from '../prepare.ts';
import { BENCH_FOLDER, ROOT_FOLDER } from '../process/folders.ts';
import { runBench } from '../process/run-bench.ts';
import { machineFacts, sourceState } from '../report/machine.ts';
import { type Kind, KINDS, SERVERS, TOOLS } from './fleet.ts';
import { newHome, startHub } from './hub.ts';
import { type CallRound, measureCalls } from './calls.ts';
import { errorsIn, fleetReport, type FleetResult } from './report.ts';
import { measureStarts, type StartRound } from './starts.ts';

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '9' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    servers: { type: 'string', default: KINDS.join(',') },
  },
});

const WARM_UP_MS = 2000;

/** Fills the caches of files and of compiled code, as after an earlier run of the hub. */
async function warmUp(kind: Kind): Promise<void> {
  const hub = await startHub(newHome(kind));
  await hub.end();
}

function save(result: FleetResult): string {
  const folder = join(BENCH_FOLDER, 'results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `fleet-${result.date.slice(0, 10)}-${result.commit}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  return relative(ROOT_FOLDER, file);
}

async function main(): Promise<void> {
  installPeers();
  buildPincer();
  const loadAverageBefore = loadavg();
  const timing = { warmUpMs: WARM_UP_MS, measureMs: Number(values.seconds) * 1000 };
  const starts: StartRound[] = [];
  const calls: CallRound[] = [];
  for (const kind of KINDS.filter((each) => values.servers.split(',').includes(each))) {
    await warmUp(kind);
    for (let round = 1; round <= Number(values.starts); round += 1) {
      console.error(`servers: ${kind}, start ${round}/${values.starts}`);
      starts.push(await measureStarts(kind, round));
    }
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      console.error(`servers: ${kind}, calls, round ${round}/${values.rounds}`);
      calls.push(await measureCalls(kind, timing));
    }
  }
  const result: FleetResult = {
    date: new Date().toISOString(),
    ...sourceState(),
    machine: machineFacts(loadAverageBefore),
    servers: SERVERS,
    tools: TOOLS,
    starts,
    calls,
  };
  console.log(fleetReport(result));
  console.error(`\nAll rounds: ${save(result)}`);
  if (errorsIn(calls) > 0) process.exitCode = 1;
}

await runBench(main);
