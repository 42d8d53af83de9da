/** What a run came to. */
import type { Check, Requirements } from './suite.ts';
import type { Target } from './targets.ts';

export interface ScenarioOutcome {
  scenario: string;
  isScored: boolean;
  /** Empty: it passed. */
  reasons: string[];
  warnings: string[];
}

export interface TargetOutcome {
  target: Target;
  scenarios: ScenarioOutcome[];
  /** What went wrong besides the scenarios. */
  problems: string[];
  seconds: number;
}

/** As the suite has it: a scenario fails with its first failed check. One that never came to a check failed as well. */
export function judge(scenario: string, checks: Check[] | undefined, isScored: boolean): ScenarioOutcome {
  const those = (status: Check['status']): string[] =>
    (checks ?? []).filter((check) => check.status === status).map(describe);
  const reasons =
    checks === undefined || checks.length === 0 ? ['it did not run to an end'] : those('FAILURE');
  return { scenario, isScored, reasons, warnings: those('WARNING') };
}

export const judgeAll = (
  { scored, unscored }: Requirements,
  results: ReadonlyMap<string, Check[]>,
): ScenarioOutcome[] => [
  ...scored.map((name) => judge(name, results.get(name), true)),
  ...unscored.map((name) => judge(name, results.get(name), false)),
];

const describe = ({ id, description, errorMessage }: Check): string =>
  `${id}: ${errorMessage ?? description}`;

export const hasPassed = ({ reasons }: ScenarioOutcome): boolean => reasons.length === 0;

/** A run is good if it reaches its total, loses nothing but what it may lose, and had no other problem. */
export function isGood({ target, scenarios, problems }: TargetOutcome): boolean {
  const scored = scenarios.filter(({ isScored }) => isScored);
  const isAllowed = ({ scenario }: ScenarioOutcome): boolean => target.losses?.[scenario] !== undefined;
  return (
    problems.length === 0 &&
    scored.filter(hasPassed).length >= target.expected &&
    (target.isStrict === true ? scenarios : scored).every(
      (outcome) => hasPassed(outcome) || isAllowed(outcome),
    )
  );
}
