/** Reduces the rounds of a subject in a case to one number per figure. */
import type { LoadResult } from '../load/spec.ts';
import type { HttpRound } from '../measure/http-round.ts';
import type { HttpCase } from '../subjects/subject.ts';

export interface LevelSummary {
  inFlight: number;
  callsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMicrosPerCall: number;
  treeCpuMicrosPerCall: number;
  rssPeakBytes: number;
}

export interface HttpSummary {
  case: HttpCase;
  subject: string;
  startMs: number;
  rssIdleBytes: number;
  levels: LevelSummary[];
  /** Any error makes the row invalid, and its figures are not shown. */
  problems: string[];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function summariseLevel(inFlight: number, results: readonly LoadResult[]): LevelSummary {
  const of = (pick: (result: LoadResult) => number): number => median(results.map(pick));
  return {
    inFlight,
    callsPerSecond: of((result) => result.callsPerSecond),
    p50Ms: of((result) => result.p50Ms),
    p99Ms: of((result) => result.p99Ms),
    cpuMicrosPerCall: of((result) => result.cpuMicrosPerCall),
    treeCpuMicrosPerCall: of((result) => result.treeCpuMicrosPerCall),
    rssPeakBytes: of((result) => result.rssPeakBytes),
  };
}

function problemsOf({ round, failure, levels }: HttpRound): string[] {
  const problems = levels
    .filter(({ errors, calls }) => errors > 0 || calls === 0)
    .map(
      (level) =>
        `round ${round}, ${level.inFlight} in flight: ${level.errors} errors (${level.errorSamples[0]})`,
    );
  if (failure !== undefined) problems.push(`round ${round}: ${failure}`);
  return problems;
}

function summarise(rounds: readonly HttpRound[], kind: HttpCase, subject: string): HttpSummary {
  const results = rounds.flatMap(({ levels }) => levels);
  const byLevel = Map.groupBy(results, ({ inFlight }) => inFlight);
  return {
    case: kind,
    subject,
    startMs: median(rounds.map(({ startMs }) => startMs ?? Number.NaN)),
    rssIdleBytes: median(rounds.map(({ rssIdleBytes }) => rssIdleBytes ?? Number.NaN)),
    levels: [...byLevel].map(([inFlight, atLevel]) => summariseLevel(inFlight, atLevel)),
    problems: rounds.flatMap(problemsOf),
  };
}

export function summariseRounds(rounds: readonly HttpRound[]): HttpSummary[] {
  const byCase = Map.groupBy(rounds, (round) => round.case);
  return [...byCase].flatMap(([kind, ofCase]) =>
    [...Map.groupBy(ofCase, ({ subject }) => subject)].map(([subject, ofSubject]) =>
      summarise(ofSubject, kind, subject),
    ),
  );
}
