/** Measures round by round over all cases and subjects, so that a busy minute affects all alike. */
import { refuseWhenEnding } from '../process/running.ts';
import type { HttpCase, Subject } from '../subjects/subject.ts';
import { type HttpRound, LEVELS, measureHttpRound, type Timing } from './http-round.ts';

export interface RoundsPlan {
  rounds: number;
  cases: readonly HttpCase[];
  subjects: readonly Subject[];
  timing: Timing;
  /** Calls in flight; default: all levels. */
  levels?: readonly number[];
  onProgress(text: string): void;
}

/** Each round starts with another subject. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

export async function measureAllRounds(plan: RoundsPlan): Promise<HttpRound[]> {
  const results: HttpRound[] = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const kind of plan.cases) {
      for (const subject of rotated(plan.subjects, round - 1)) {
        if (subject.cannot[kind] !== undefined) continue;
        plan.onProgress(`round ${round}/${plan.rounds}, ${kind}, ${subject.name}`);
        const result = await measureHttpRound(subject, kind, round, {
          ...plan.timing,
          levels: plan.levels ?? LEVELS,
        });
        refuseWhenEnding();
        if (result.failure !== undefined) plan.onProgress(`  failed: ${result.failure}`);
        results.push(result);
      }
    }
  }
  return results;
}
