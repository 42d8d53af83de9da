import { hasPassed, isGood, type ScenarioOutcome, type TargetOutcome } from './outcome.ts';

const SHORT = 300;

/** One line for the run; below it what failed, and why. */
export function report(outcome: TargetOutcome, isVerbose: boolean): void {
  const { target, scenarios, problems, seconds } = outcome;
  const scored = scenarios.filter(({ isScored }) => isScored);
  const unscored = scenarios.filter(({ isScored }) => !isScored);
  const count = (of: ScenarioOutcome[]): string => `${of.filter(hasPassed).length}/${of.length}`;
  console.log(
    `${target.name} ${target.revision} ${count(scored)} (unscored ${count(unscored)}) ` +
      `${seconds.toFixed(1)} s${isGood(outcome) ? '' : ` FAILED, expected ${target.expected}`}`,
  );
  for (const { scenario, isScored, reasons, warnings } of scenarios) {
    const loss = target.losses?.[scenario];
    if (reasons.length > 0) {
      const kind = loss === undefined ? (isScored ? 'failed' : 'unscored, failed') : 'lost';
      console.log(`  ${kind}: ${scenario}${loss === undefined ? '' : ` (${loss})`}`);
      if (loss === undefined || isVerbose) list(reasons, isVerbose);
    } else if (loss !== undefined) {
      console.log(`  ${scenario} is a known loss and has passed: take it off the table`);
    }
    if (isVerbose && warnings.length > 0) {
      console.log(`  warnings: ${scenario}`);
      list(warnings, isVerbose);
    }
  }
  for (const problem of problems) console.log(`  problem: ${problem}`);
}

function list(sentences: string[], isVerbose: boolean): void {
  for (const sentence of new Set(sentences)) {
    const isLong = !isVerbose && sentence.length > SHORT;
    console.log(`    ${isLong ? `${sentence.slice(0, SHORT)} …` : sentence}`);
  }
}
