/** Our overhead per turn, and the time of a start and of a large image. */
import { median } from '../report/medians.ts';
import type { MachineFacts } from '../report/result.ts';
import { formatTable } from '../report/table.ts';
import type { StartRound } from './starts.ts';
import type { Turn, TurnRound, Turns } from './turns.ts';
import type { WayName } from './ways.ts';

const WAYS: readonly WayName[] = ['gateway', 'mcp-server', '/mcp'];

export interface WaySummary {
  way: WayName;
  p50Ms: number;
  p95Ms: number;
  /** Without the time at the gateway. */
  outsideP50Ms: number;
  outsideP95Ms: number;
  /** Compared with a direct call of the gateway. */
  ratio: number;
  addedP50Ms: number;
  addedOutsideP50Ms: number;
}

export interface AgentResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  machine: MachineFacts;
  openclaw: string;
  summary: {
    turns: WaySummary[];
    emptyTurns: WaySummary[];
    initializeP50Ms: number;
    initializeP95Ms: number;
    bareNodeP50Ms: number;
    imageP50Ms: number;
    imageMaxMs: number;
  };
  turns: Turns;
  emptyTurns: Turns;
  starts: StartRound[];
  imagesMs: number[];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

const totalOf = ({ totalMs }: Turn): number => totalMs;
const outsideOf = ({ totalMs, gatewayMs }: Turn): number => totalMs - gatewayMs;

function summariseWay(way: WayName, rounds: readonly TurnRound[]): WaySummary {
  const of = (which: WayName, read: (turn: Turn) => number): number[] =>
    rounds.map((round) => read(round[which]));
  const added = (read: (turn: Turn) => number): number => median(of(way, read)) - median(of('gateway', read));
  return {
    way,
    p50Ms: median(of(way, totalOf)),
    p95Ms: percentile(of(way, totalOf), 0.95),
    outsideP50Ms: median(of(way, outsideOf)),
    outsideP95Ms: percentile(of(way, outsideOf), 0.95),
    ratio: median(of(way, totalOf)) / median(of('gateway', totalOf)),
    addedP50Ms: added(totalOf),
    addedOutsideP50Ms: added(outsideOf),
  };
}

export const summarise = ({
  turns,
  emptyTurns,
  starts,
  imagesMs,
}: Pick<AgentResult, 'turns' | 'emptyTurns' | 'starts' | 'imagesMs'>): AgentResult['summary'] => ({
  turns: WAYS.map((way) => summariseWay(way, turns.rounds)),
  emptyTurns: WAYS.map((way) => summariseWay(way, emptyTurns.rounds)),
  initializeP50Ms: median(starts.map(({ mcpServerMs }) => mcpServerMs)),
  initializeP95Ms: percentile(
    starts.map(({ mcpServerMs }) => mcpServerMs),
    0.95,
  ),
  bareNodeP50Ms: median(starts.map(({ bareNodeMs }) => bareNodeMs)),
  imageP50Ms: median(imagesMs),
  imageMaxMs: Math.max(...imagesMs),
});

const MOST_ADDED_MS = 10;
const MOST_START_MS = 500;
const MOST_IMAGE_MS = 500;

/** The promises, and whether this run kept them. */
function promises({ turns, initializeP50Ms, imageP50Ms }: AgentResult['summary']): string {
  const added = (way: WayName): number =>
    turns.find((each) => each.way === way)?.addedOutsideP50Ms ?? Number.NaN;
  const kept: [string, boolean][] = [
    ['mcp-server adds at most 10 ms to a turn', added('mcp-server') <= MOST_ADDED_MS],
    ['/mcp adds at most 10 ms to a turn', added('/mcp') <= MOST_ADDED_MS],
    ['initialize is answered within 500 ms', initializeP50Ms <= MOST_START_MS],
    ['an image of 15 MB is with the gateway within 500 ms', imageP50Ms <= MOST_IMAGE_MS],
  ];
  return kept.map(([promise, isKept]) => `${isKept ? 'kept  ' : 'MISSED'} ${promise}`).join('\n');
}

const ms = (value: number, digits = 0): string => `${value.toFixed(digits)} ms`;

function turnsTable(heading: string, summary: readonly WaySummary[], { rounds, loadAverage }: Turns): string {
  const headings = [heading, 'p50', 'p95', 'ratio', 'added', 'outside gateway, p50', 'p95', 'added outside'];
  const rows = summary.map((row) => [
    row.way,
    ms(row.p50Ms, 1),
    ms(row.p95Ms, 1),
    row.ratio.toFixed(2),
    ms(row.addedP50Ms, 1),
    ms(row.outsideP50Ms, 1),
    ms(row.outsideP95Ms, 1),
    ms(row.addedOutsideP50Ms, 1),
  ]);
  return `${formatTable([headings, ...rows])}\n${rounds.length} turns by each way, load average ${loadAverage.toFixed(1)}`;
}

export function agentReport({ summary, turns, emptyTurns, machine, openclaw }: AgentResult): string {
  return [
    turnsTable(`OpenClaw ${openclaw}`, summary.turns, turns),
    turnsTable('a gateway that answers at once', summary.emptyTurns, emptyTurns),
    `initialize: p50 ${ms(summary.initializeP50Ms)}, p95 ${ms(summary.initializeP95Ms)} (a Node that does nothing else: ${ms(summary.bareNodeP50Ms)})`,
    `an image of 15 MB: p50 ${ms(summary.imageP50Ms)}, at most ${ms(summary.imageMaxMs)}`,
    promises(summary),
    `${machine.cpus} × ${machine.cpu}, Node ${machine.node}`,
  ].join('\n\n');
}
