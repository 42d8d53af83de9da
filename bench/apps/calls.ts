/** Short rounds over all rows in turn, each starting with another row, so that other load on the machine affects all alike. */
import { refuseWhenEnding } from '../process/running.ts';
import { startChild } from './child.ts';
import type { CallRun, LoadAnswer, LoadCommand } from './programs/load.ts';
import { MOST_IN_FLIGHT, type Opened, type Row, type System } from './system.ts';

export interface CallsPlan {
  systems: readonly System[];
  rounds: number;
  measureMs: number;
  onProgress(text: string): void;
}

export interface RowRounds {
  row: Omit<Row, 'pid'>;
  /** In measuring order: runs at the same index of two rows belong together. */
  runs: CallRun[];
}

const LEVELS = [1, MOST_IN_FLIGHT] as const;
const REST_MS = 150;
/** Code is compiled by use, not by time. On a busy machine this many calls take a while. */
const WARM_UP_CALLS = 25_000;
const WARM_UP_MS = 1_500;
const MOST_WARM_UPS = 20;
const LOAD_PROGRAM = new URL('programs/load.ts', import.meta.url);

async function warmUp(run: (inFlight: number) => Promise<CallRun>): Promise<void> {
  let calls = 0;
  for (let times = 0; times < MOST_WARM_UPS && calls < WARM_UP_CALLS; times += 1)
    calls += (await run(MOST_IN_FLIGHT)).calls;
  await run(1);
}

export async function measureCalls(plan: CallsPlan): Promise<RowRounds[]> {
  const load = await startChild<LoadCommand, LoadAnswer>(LOAD_PROGRAM);
  const opened: Opened[] = [];
  for (const system of plan.systems) opened.push(await system.open(load));
  const rows = opened.flatMap((each) => each.rows);
  const all = new Map(rows.map((row) => [row, [] as CallRun[]]));

  async function runOf(row: Row, inFlight: number, measureMs: number): Promise<CallRun> {
    refuseWhenEnding();
    const { name, pid: own } = row;
    const { run } = await load.ask({ kind: 'run', name, inFlight, restMs: REST_MS, measureMs, own });
    if (run === undefined) throw new Error(`${name}: no run`);
    return run;
  }

  for (const row of rows) {
    plan.onProgress(`warm-up, ${row.name}`);
    await warmUp((inFlight) => runOf(row, inFlight, WARM_UP_MS));
  }
  for (let round = 0; round < plan.rounds; round += 1) {
    plan.onProgress(`calls, round ${round + 1}/${plan.rounds}`);
    for (const inFlight of LEVELS)
      for (let turn = 0; turn < rows.length; turn += 1) {
        const row = rows[(round + turn) % rows.length]!;
        all.get(row)!.push(await runOf(row, inFlight, plan.measureMs));
      }
  }
  for (const each of opened) await each.end();
  await load.end();
  return [...all].map(([{ name, way, floor }, runs]) => ({ row: { name, way, floor }, runs }));
}
