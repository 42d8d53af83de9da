/**
 * `npm run conformance`: the official suite against each target of targets.ts, on the built hub. One line per run:
 * `<target> <revision> passed/total`, and what failed below it.
 *
 *   node test/conformance/run.ts [--verbose] [target] [revision]
 *
 * A target may be named by its beginning. Nothing is run twice: a failure is a failure.
 */
import { parseArgs } from 'node:util';
import { startEverything } from '../servers/everything/start.ts';
import { runClientLegs } from './client-legs.ts';
import { withHub } from './hub-target.ts';
import { isGood, judgeAll, type ScenarioOutcome, type TargetOutcome } from './outcome.ts';
import { report } from './report.ts';
import { requirementsOf, runServerScenarios } from './suite.ts';
import { TARGETS, type Target } from './targets.ts';

type Findings = Pick<TargetOutcome, 'scenarios' | 'problems'>;

async function runTarget(target: Target): Promise<Findings> {
  const { kind, revision, era } = target;
  if (kind === 'client-legs') return { scenarios: await runClientLegs(revision), problems: [] };
  const scenariosAt = async (url: string): Promise<ScenarioOutcome[]> =>
    judgeAll(await requirementsOf(revision, 'server'), await runServerScenarios(url, revision));
  if (kind === 'hub') {
    const { result, problems } = await withHub(target, scenariosAt);
    return { scenarios: result, problems };
  }
  await using server = await startEverything(era);
  return { scenarios: await scenariosAt(server.url), problems: [] };
}

async function outcomeOf(target: Target): Promise<TargetOutcome> {
  const begun = performance.now();
  const findings = await runTarget(target).catch((error: unknown): Findings => {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { scenarios: [], problems: [problem] };
  });
  return { target, ...findings, seconds: (performance.now() - begun) / 1_000 };
}

const { values, positionals } = parseArgs({
  options: { verbose: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [name = '', revision] = positionals;
const chosen = TARGETS.filter(
  (target) => target.name.startsWith(name) && (revision === undefined || target.revision === revision),
);
if (chosen.length === 0) throw new Error(`no target ${positionals.join(' ')}`);

const outcomes: TargetOutcome[] = [];
for (const target of chosen) {
  const outcome = await outcomeOf(target);
  report(outcome, values.verbose);
  outcomes.push(outcome);
}
process.exitCode = outcomes.every(isGood) ? 0 : 1;
