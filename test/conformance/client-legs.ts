/** Pincer's legs to servers, held against the suite's client scenarios: client-leg.ts is the client. */
import { judge, type ScenarioOutcome } from './outcome.ts';
import { isSignIn } from './sign-in-leg.ts';
import { requirementsOf, runClientScenario } from './suite.ts';
import type { Revision } from './targets.ts';

const COMMAND = 'node --import ./test/servers/keep-compiled.mjs test/conformance/client-leg.ts';

/** In the suite, this one is passed by a client that gives up. */
const MAY_GIVE_UP = 'http-invalid-tool-headers';

/** Sign-ins take longer to start than to do, and measure no time. */
const SIGN_INS_AT_ONCE = 3;

export async function runClientLegs(revision: Revision): Promise<ScenarioOutcome[]> {
  const { scored, unscored } = await requirementsOf(revision, 'client');
  const outcomes = new Map<string, ScenarioOutcome>();

  async function run(scenario: string): Promise<void> {
    const { checks, complaint } = await runClientScenario(COMMAND, scenario, revision);
    const outcome = judge(scenario, checks, scored.includes(scenario));
    if (complaint !== undefined && scenario !== MAY_GIVE_UP) outcome.reasons.push(`the client: ${complaint}`);
    outcomes.set(scenario, outcome);
  }

  const all = [...scored, ...unscored];
  // One after the other: one of them measures time.
  for (const scenario of all.filter((name) => !isSignIn(name))) await run(scenario);
  const signIns = all.filter(isSignIn);
  const work = async (): Promise<void> => {
    for (let next = signIns.shift(); next !== undefined; next = signIns.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: SIGN_INS_AT_ONCE }, work));
  return all.map((scenario) => outcomes.get(scenario)!);
}
