/** The rounds as tables: medians, and the best values, which other load on the machine affects least. */
import { median } from '../report/medians.ts';
import type { MachineFacts } from '../report/result.ts';
import { formatTable } from '../report/table.ts';
import { type CallRound, LEVELS } from './calls.ts';
import { AT_ONCE, type Kind, KINDS, SERVERS, TOOLS } from './fleet.ts';
import type { StartRound } from './starts.ts';

export interface FleetResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  machine: MachineFacts;
  servers: number;
  tools: number;
  starts: StartRound[];
  calls: CallRound[];
}

const NAMES: Readonly<Record<Kind, string>> = { hand: 'by hand', sdk: 'on the official SDK' };

const ms = (value: number): string => (value < 10 ? value.toFixed(2) : String(Math.round(value)));
const times = (ratio: number): string => `${ratio.toFixed(2)}×`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

/** Ratios are calculated per round; the figure is their median. */
function startTable(rounds: readonly StartRound[]): string {
  const row = (name: string, pick: (round: StartRound) => number): string[] => {
    const all = rounds.map(pick);
    const ratio = median(rounds.map((round) => pick(round) / round.bareMs));
    return [name, ms(median(all)), ms(Math.min(...all)), times(ratio)];
  };
  return formatTable([
    ['until all tools are listed', 'median ms', 'best ms', ': floor'],
    row(`bare script, ${AT_ONCE} starts at once`, (round) => round.bareMs),
    row('bare script, all at once', (round) => round.bareAllAtOnceMs),
    row('pincer up, nothing known', (round) => round.coldMs),
    row('pincer up again, tools known', (round) => round.restartMs),
  ]);
}

function callTable(rounds: readonly CallRound[]): string {
  const rows = LEVELS.flatMap(({ name }, level) => {
    const of = (pick: (round: CallRound) => number | undefined): number =>
      median(rounds.map((round) => pick(round) ?? Number.NaN));
    const cells = (side: 'direct' | 'hub'): string[] => [
      ms(of((round) => round[side][level]?.p50Ms)),
      ms(of((round) => round[side][level]?.p99Ms)),
      String(Math.round(of((round) => round[side][level]?.callsPerSecond))),
    ];
    const ratio = of((round) => (round.hub[level]?.p50Ms ?? 0) / (round.direct[level]?.p50Ms ?? 0));
    const cpu = of((round) => round.hub[level]?.cpuMicrosPerCall);
    return [
      [`${name}: over the pipe`, ...cells('direct'), '1.00×'],
      [`${name}: through the hub`, ...cells('hub'), times(ratio), String(Math.round(cpu))],
    ];
  });
  return formatTable([['', 'p50 ms', 'p99 ms', 'calls/s', 'p50 : pipe', 'CPU µs/call'], ...rows]);
}

function kindReport(kind: Kind, { starts, calls }: FleetResult): string[] {
  const ownStarts = starts.filter((round) => round.kind === kind);
  const ownCalls = calls.filter((round) => round.kind === kind);
  if (ownStarts.length === 0) return [];
  const loads = ownStarts.map(({ loadAverage }) => loadAverage.toFixed(1)).join(', ');
  const memory = (pick: (round: CallRound) => number): string => megabytes(median(ownCalls.map(pick)));
  return [
    `${SERVERS} servers ${NAMES[kind]}, ${TOOLS} tools`,
    startTable(ownStarts),
    `children when the list was complete after the restart: ${ownStarts.map((round) => round.childrenAtRestart).join(', ')}`,
    `load average before each start: ${loads}`,
    callTable(ownCalls),
    `children after the calls: ${ownCalls.map(({ children }) => children).join(', ')}`,
    `memory of the hub: ${memory((round) => round.rssIdleBytes)}, after the calls ${memory((round) => round.rssLoadedBytes)};` +
      ` of the bare script after the same calls ${memory((round) => round.bareRssBytes)}`,
  ];
}

export function fleetReport(result: FleetResult): string {
  const { cpus, cpu, node } = result.machine;
  return [...KINDS.flatMap((kind) => kindReport(kind, result)), `${cpus} × ${cpu}, Node ${node}`].join(
    '\n\n',
  );
}

export const errorsIn = (calls: readonly CallRound[]): number =>
  calls.flatMap(({ hub }) => hub).reduce((sum, { errors }) => sum + errors, 0);
