/** The last lines of `npm test`: times, repeats, and what failed with the command that runs it alone. */
import { existsSync, readFileSync } from 'node:fs';
import type { System } from '../system.ts';
import type { Failure, Outcome } from './vitest-report.ts';

/** Two lines each. */
const SHOWN_FAILURES = 10;
/** Files that took less are not listed. */
const SHOWN_SECONDS = 1;

export function summarize(
  outcomes: readonly Outcome[],
  { skipped, missing }: System,
  repeats: string,
): { text: string; isGood: boolean } {
  const sum = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0);
  // A step that broke without a failed test counts as one failure.
  const broken = outcomes.filter((outcome) => !outcome.hasPassed && outcome.failed === 0).length;
  const failed = sum((outcome) => outcome.failed) + broken + missing.length;
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const lines = [
    '\n=== time of each file, slowest first',
    ...times(outcomes),
    ...countsOf(repeats).map(([what, times]) => `repeated ${times} times: ${what}`),
    '\n=== summary',
    ...outcomes.map(
      ({ name, seconds, hasPassed }) =>
        `${hasPassed ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(7)} s`,
    ),
    ...skipped.map((suite) => `skipped ${suite}`),
    ...missing.map((sentence) => `FAILED ${sentence}`),
    ...failures.slice(0, SHOWN_FAILURES).flatMap(describe),
    ...(failures.length > SHOWN_FAILURES ? [`… and ${failures.length - SHOWN_FAILURES} more, above`] : []),
    `${sum((outcome) => outcome.passed)} passed, ${failed} failed`,
  ];
  return { text: lines.join('\n'), isGood: failed === 0 };
}

const times = (outcomes: readonly Outcome[]): string[] =>
  outcomes
    .flatMap(({ files }) => files)
    .filter(({ seconds }) => seconds >= SHOWN_SECONDS)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s ${file}`);

function describe({ file, test, reason }: Failure): string[] {
  const title = test === undefined ? '' : ` -t ${JSON.stringify(test)}`;
  return [
    `FAILED ${file}${test === undefined ? '' : `: ${test}`}: ${reason}`,
    `  npx vitest run ${file}${title}`,
  ];
}

/** How often each kind of thing was done once more (test/kit/repeats.ts). */
function countsOf(file: string): [what: string, times: number][] {
  if (!existsSync(file)) return [];
  const counts = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').trimEnd().split('\n')) {
    const { what } = JSON.parse(line) as { what: string };
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts];
}
