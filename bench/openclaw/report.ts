/** The rounds of each variant as one row: medians over rounds, latencies over all samples. */
import { median } from '../report/medians.ts';
import type { MachineFacts } from '../report/result.ts';
import { formatTable } from '../report/table.ts';
import { CONVERSATIONS, type Round } from './round.ts';
import { type VariantName, VARIANTS } from './variants.ts';

export interface OpenClawSummary {
  variant: VariantName;
  processes: number;
  pssBytes: number;
  firstTurnP50Ms: number;
  firstTurnP95Ms: number;
  nextCallP50Ms: number;
  nextCallP95Ms: number;
  nextCallMeanMs: number;
  nextTurnPerCallP50Ms: number;
}

export interface OpenClawResult {
  date: string;
  commit: string;
  uncommittedChanges: boolean;
  machine: MachineFacts;
  openclaw: string;
  conversations: number;
  summary: OpenClawSummary[];
  rounds: Round[];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function summarise(rounds: readonly Round[]): OpenClawSummary[] {
  return VARIANTS.flatMap((variant) => {
    const own = rounds.filter((round) => round.variant === variant);
    if (own.length === 0) return [];
    const firstTurns = own.flatMap(({ firstTurnsMs }) => firstTurnsMs);
    const nextCalls = own.flatMap(({ nextCallsMs }) => nextCallsMs);
    return {
      variant,
      processes: median(own.map(({ after }) => after.processes)),
      pssBytes: median(own.map(({ after }) => after.pssBytes)),
      firstTurnP50Ms: median(firstTurns),
      firstTurnP95Ms: percentile(firstTurns, 0.95),
      nextCallP50Ms: median(nextCalls),
      nextCallP95Ms: percentile(nextCalls, 0.95),
      nextCallMeanMs: nextCalls.reduce((sum, ms) => sum + ms, 0) / nextCalls.length,
      nextTurnPerCallP50Ms: median(own.flatMap(({ nextTurnsMsPerCall }) => nextTurnsMsPerCall)),
    };
  });
}

/** The promises of the plugin, and whether this run kept them. */
function promises(summary: readonly OpenClawSummary[]): string[] {
  const [stdio, http, ours] = VARIANTS.map((name) => summary.find(({ variant }) => variant === name));
  if (stdio === undefined || http === undefined || ours === undefined) return [];
  const kept: [string, boolean][] = [
    ['the hub and one child, however many conversations', ours.processes === 2],
    ['at most a fifth of the memory of built-in stdio', ours.pssBytes <= stdio.pssBytes / 5],
    ['a call at most 2 ms above built-in HTTP', ours.nextCallP50Ms <= http.nextCallP50Ms + 2],
    ['a first turn faster than built-in stdio', ours.firstTurnP50Ms < stdio.firstTurnP50Ms],
  ];
  return kept.map(([promise, isKept]) => `${isKept ? 'kept  ' : 'MISSED'} ${promise}`);
}

const HEADINGS = [
  '',
  'processes',
  'PSS',
  'first turn p50',
  'p95',
  'next call p50',
  'p95',
  'mean',
  'loop per call',
];

export function openclawReport({ summary, rounds, machine, openclaw }: OpenClawResult): string {
  const ms = (value: number, digits = 0): string => `${value.toFixed(digits)} ms`;
  const rows = summary.map((row) => [
    row.variant,
    String(row.processes),
    `${Math.round(row.pssBytes / 1024 ** 2)} MB`,
    ms(row.firstTurnP50Ms),
    ms(row.firstTurnP95Ms),
    ms(row.nextCallP50Ms),
    ms(row.nextCallP95Ms),
    ms(row.nextCallMeanMs, 1),
    ms(row.nextTurnPerCallP50Ms),
  ]);
  return [
    `OpenClaw ${openclaw}, ${CONVERSATIONS} conversations with one server, without the gateway itself`,
    formatTable([HEADINGS, ...rows]),
    promises(summary).join('\n'),
    `load average before each round: ${rounds.map(({ variant, loadAverage }) => `${variant} ${loadAverage.toFixed(1)}`).join(', ')}`,
    `${machine.cpus} × ${machine.cpu}, Node ${machine.node}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
