/** The rounds as a table: medians, and beside them the best, which other work on the machine spoils least. */
import { median } from '../report/medians.ts';
import { formatTable } from '../report/table.ts';
import type { MachineFacts } from '../report/result.ts';
import { KINDS, SERVERS, TOOLS } from './fleet.ts';
import { AT_ONCE, type FleetRound, LEVELS } from './rounds.ts';

export interface FleetResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  machine: MachineFacts;
  servers: number;
  tools: number;
  rounds: FleetRound[];
}

const best = (values: readonly number[]): number => Math.min(...values);
const ms = (value: number): string => (value < 10 ? value.toFixed(2) : String(Math.round(value)));
const times = (value: number, floor: number): string => `${(value / floor).toFixed(2)}×`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MB`;

type Pick = (round: FleetRound) => number;

function startRows(rounds: readonly FleetRound[]): string[][] {
  const floor = rounds.map((round) => round.bareMs);
  const row = (name: string, pick: Pick): string[] => {
    const values = rounds.map(pick);
    return [
      name,
      ms(median(values)),
      ms(best(values)),
      times(median(values), median(floor)),
      times(best(values), best(floor)),
    ];
  };
  return [
    ['', 'median ms', 'best ms', ': floor', ': floor, best'],
    row(`bare script, ${AT_ONCE} starts at once`, (round) => round.bareMs),
    row('bare script, all at once', (round) => round.bareAllAtOnceMs),
    row('pincer up, nothing known', (round) => round.coldMs),
    row('pincer up again, tools known', (round) => round.restartMs),
  ];
}

function callRows(rounds: readonly FleetRound[]): string[][] {
  const rows = LEVELS.flatMap(({ name }, level) => {
    const of = (pick: (round: FleetRound) => number | undefined): number =>
      median(rounds.map((round) => pick(round) ?? Number.NaN));
    const direct = of((round) => round.direct[level]?.p50Ms);
    const hub = of((round) => round.hub[level]?.p50Ms);
    const cells = (pick: 'direct' | 'hub'): string[] => [
      ms(of((round) => round[pick][level]?.p50Ms)),
      ms(of((round) => round[pick][level]?.p99Ms)),
      String(Math.round(of((round) => round[pick][level]?.callsPerSecond))),
    ];
    return [
      [`${name}: over the pipe`, ...cells('direct'), '1.00×', ''],
      [
        `${name}: through the hub`,
        ...cells('hub'),
        times(hub, direct),
        String(Math.round(of((round) => round.hub[level]?.cpuMicrosPerCall))),
      ],
    ];
  });
  return [['', 'p50 ms', 'p99 ms', 'calls/s', 'p50 : pipe', 'CPU µs/call'], ...rows];
}

export function fleetReport({ rounds, machine }: FleetResult): string {
  const load = rounds.map(({ loadAverage }) => loadAverage.toFixed(1)).join(', ');
  const parts = KINDS.flatMap((kind) => {
    const own = rounds.filter((round) => round.kind === kind);
    if (own.length === 0) return [];
    const memory = (pick: Pick): string => megabytes(median(own.map(pick)));
    return [
      `${SERVERS} servers ${kind === 'hand' ? 'by hand' : 'on the official SDK'}, ${TOOLS} tools, ${own.length} rounds`,
      formatTable(startRows(own)),
      `children when the list was complete after the restart: ${own.map((round) => round.childrenAtRestart).join(', ')}`,
      `children with ${LEVELS.at(-1)?.inFlight} callers: ${own.map((round) => round.childrenUnderLoad).join(', ')}`,
      formatTable(callRows(own)),
      `memory of the hub: ${memory((round) => round.rssIdleBytes)}, after the calls ${memory((round) => round.rssLoadedBytes)}` +
        ` (bare script ${memory((round) => round.bareRssBytes)})`,
    ];
  });
  return [...parts, `${machine.cpus} × ${machine.cpu}; load average before each round: ${load}`].join('\n\n');
}

export const errorsIn = (rounds: readonly FleetRound[]): number =>
  rounds.flatMap(({ hub }) => hub).reduce((sum, { errors }) => sum + errors, 0);
