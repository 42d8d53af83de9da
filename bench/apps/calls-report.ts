/** Tables of calls: the medians, and the median ratio to the floor over the rounds. */
import { median } from '../report/medians.ts';
import { formatTable } from '../report/table.ts';
import type { RowRounds } from './calls.ts';
import type { CallRun } from './programs/load.ts';
import { MOST_IN_FLIGHT } from './system.ts';

const at = ({ runs }: RowRounds, inFlight: number): CallRun[] =>
  runs.filter((run) => run.inFlight === inFlight);

/** Compares round by round: a busy second affects both or neither. */
function ratioOf(
  rows: readonly RowRounds[],
  row: RowRounds,
  inFlight: number,
  pick: (run: CallRun) => number,
): number {
  const floor = rows.find((each) => each.row.name === row.row.floor);
  if (floor === undefined) return Number.NaN;
  const floorRuns = at(floor, inFlight);
  return median(at(row, inFlight).map((run, index) => pick(run) / pick(floorRuns[index]!)));
}

const times = (ratio: number): string => (Number.isNaN(ratio) ? '' : `${ratio.toFixed(2)}×`);
const perSecond = (run: CallRun): number => run.callsPerSecond;
const cpu = (run: CallRun): number => run.cpuMicrosPerCall;

function levelTable(rows: readonly RowRounds[], inFlight: number, title: string): string {
  const head = [title, 'over', 'calls/s', ': floor', 'p50 ms', ': floor', 'p99 ms', 'CPU µs/call', ': floor'];
  const lines = rows.map((row) => {
    const runs = at(row, inFlight);
    const middle = (pick: (run: CallRun) => number): number => median(runs.map(pick));
    const ratio = (pick: (run: CallRun) => number): string => times(ratioOf(rows, row, inFlight, pick));
    return [
      row.row.name,
      row.row.way,
      middle(perSecond).toFixed(0),
      ratio(perSecond),
      middle(({ p50Ms }) => p50Ms).toFixed(2),
      ratio(({ p50Ms }) => p50Ms),
      middle(({ p99Ms }) => p99Ms).toFixed(2),
      middle(cpu).toFixed(0),
      ratio(cpu),
    ];
  });
  return formatTable([head, ...lines]);
}

const WORST_CALLS_RATIO = 0.6;
const WORST_CPU_RATIO = 1.8;

function promises(rows: readonly RowRounds[]): string[] {
  return rows
    .filter(({ row }) => row.name.startsWith('pincer'))
    .flatMap((row) => {
      const calls = ratioOf(rows, row, MOST_IN_FLIGHT, perSecond);
      const cpuRatio = ratioOf(rows, row, MOST_IN_FLIGHT, cpu);
      return [
        `${calls >= WORST_CALLS_RATIO ? 'kept  ' : 'MISSED'} ${row.row.name}: at least ${WORST_CALLS_RATIO}× the calls of the hand-written proxy (${times(calls)})`,
        `${cpuRatio <= WORST_CPU_RATIO ? 'kept  ' : 'MISSED'} ${row.row.name}: at most ${WORST_CPU_RATIO}× its CPU time for each (${times(cpuRatio)})`,
      ];
    });
}

export function callProblems(rows: readonly RowRounds[]): string[] {
  return rows.flatMap(({ row, runs }) =>
    runs
      .filter(({ errors, calls }) => errors > 0 || calls === 0)
      .map(
        (run) =>
          `invalid ${row.name}, ${run.inFlight} in flight: ${run.errors} errors (${run.errorSamples[0]})`,
      ),
  );
}

export function callsReport(rows: readonly RowRounds[]): string[] {
  if (rows.length === 0) return [];
  const rounds = at(rows[0]!, MOST_IN_FLIGHT).length;
  return [
    levelTable(rows, MOST_IN_FLIGHT, `${MOST_IN_FLIGHT} in flight`),
    levelTable(rows, 1, 'one after the other'),
    `Medians of ${rounds} rounds in turn. A ratio is the median of the ratios of each round. The floor is the hand-written proxy in the same era; for the relay, which offers only stdio, in the legacy era over HTTP.`,
    promises(rows).join('\n'),
    ...callProblems(rows),
  ];
}
