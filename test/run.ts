/**
 * `npm test`: first what needs both cores, then the suites in two lanes, one worker each, so that no test waits for a
 * core. The last line is `N passed, M failed`.
 * `npm run test:deep` (`--deep`) runs each test at full depth instead of a sample (test/kit/depth.ts).
 * PINCER_TEST_SYSTEM=skip lists the suites whose system packages are missing instead of failing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { summarize } from './report/summary.ts';
import { readReport, type Outcome } from './report/vitest-report.ts';
import { prepareSystem } from './system.ts';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules', '.bin');
const LANES = 2;
/** More of them balance the lanes better; each costs a start of vitest. */
const E2E_SHARDS = 6;

interface Step {
  name: string;
  command: string[];
  /** Of vitest: its report has the counts. */
  isTest?: boolean;
  /** What has begun earlier and must have ended. */
  after?: Promise<unknown>;
}

const script = (name: string): Step => ({ name, command: ['npm', 'run', '--silent', name] });
const tests = (name: string, project: string, ...more: string[]): Step => ({
  name,
  command: ['vitest', 'run', '--project', project, '--maxWorkers=1', ...more],
  isTest: true,
});

/** `npm run check` without the unit tests. The linter needs the types that the type check writes. */
const FIRST = ['format:check', 'typecheck', 'build', 'lint', 'knip', 'publint'].map(script);

/** Longest first. OpenClaw's files share a gateway, so they stay in one step. */
function suites(skipped: readonly string[], openclawInstalled: Promise<unknown>): Step[] {
  const exclude = skipped.flatMap((suite) => ['--exclude', suite]);
  const shards = Array.from({ length: E2E_SHARDS }, (_, index) => `${index + 1}/${E2E_SHARDS}`);
  return [
    { ...tests('openclaw', 'openclaw', ...exclude), after: openclawInstalled },
    script('conformance'),
    tests('unit', 'unit'),
    ...shards.map((shard) => tests(`e2e ${shard}`, 'e2e', `--shard=${shard}`, ...exclude)),
  ];
}

if (process.argv.includes('--deep')) process.env['PINCER_TEST_DEEP'] = '1';
const folder = mkdtempSync(join(tmpdir(), 'pincer-test-'));
const repeats = join(folder, 'repeats.ndjson');
process.env['PINCER_TEST_REPEATS'] = repeats;
process.env['PATH'] = `${BIN}${delimiter}${process.env['PATH'] ?? ''}`;

/** A step of a lane prints all of its output when it has ended, so that lanes do not mix. */
async function run({ name, command, isTest = false, after }: Step, isInLane: boolean): Promise<Outcome> {
  const file = join(folder, name.replaceAll(/\W/g, '-'));
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}.json`];
  await after;
  if (!isInLane) console.log(`\n=== ${name}`);
  const begun = performance.now();
  const hasPassed = await succeeds(
    isTest ? [...command, ...reporters] : command,
    isInLane ? file : undefined,
  );
  const seconds = (performance.now() - begun) / 1_000;
  if (isInLane) console.log(`\n=== ${name}\n${readFileSync(file, 'utf8')}`);
  const counts = isTest
    ? readReport(`${file}.json`, ROOT)
    : { passed: 0, failed: 0, failures: [], files: [] };
  return { name, seconds, hasPassed, ...counts };
}

async function succeeds([program = '', ...args]: readonly string[], log?: string): Promise<boolean> {
  const output = log === undefined ? 'inherit' : openSync(log, 'a');
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', output, output] });
  if (output !== 'inherit') closeSync(output);
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    return status === 0;
  } catch (error) {
    console.error(String(error));
    return false;
  }
}

const system = prepareSystem();
// OpenClaw is large: it is installed while the first steps run. If that fails, its own step says so.
const openclawInstalled = succeeds([process.execPath, join(ROOT, 'test', 'openclaw', 'install.ts')]);
const outcomes: Outcome[] = [];
for (const step of FIRST) outcomes.push(await run(step, false));
const queue = suites(system.skipped, openclawInstalled).values();
// The lanes share the iterator: each step is run by the lane that is free first.
const lane = async (): Promise<void> => {
  for (const step of queue) outcomes.push(await run(step, true));
};
await Promise.all(Array.from({ length: LANES }, lane));

const { text, isGood } = summarize(outcomes, system, repeats);
rmSync(folder, { recursive: true, force: true });
process.exitCode = isGood ? 0 : 1;
console.log(text);
