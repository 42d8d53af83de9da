/** Pincer's legs to servers, held against the suite's client scenarios: client-leg.ts is the client. */
import { judge, type ScenarioOutcome } from './outcome.ts';
import { requirementsOf, runClientScenario } from './suite.ts';
import { isLeftOut, type Revision } from './targets.ts';

const COMMAND = 'node test/conformance/client-leg.ts';

/** In the suite, this one is passed by a client that gives up. */
const MAY_GIVE_UP = 'http-invalid-tool-headers';

export async function runClientLegs(revision: Revision): Promise<ScenarioOutcome[]> {
  const { scored, unscored } = await requirementsOf(revision, 'client');
  const outcomes: ScenarioOutcome[] = [];
  // One after the other: one of them measures time.
  for (const scenario of [...scored, ...unscored].filter((name) => !isLeftOut(name))) {
    const { checks, complaint } = await runClientScenario(COMMAND, scenario, revision);
    const outcome = judge(scenario, checks, scored.includes(scenario));
    if (complaint !== undefined && scenario !== MAY_GIVE_UP) outcome.reasons.push(`the client: ${complaint}`);
    outcomes.push(outcome);
  }
  return outcomes;
}
