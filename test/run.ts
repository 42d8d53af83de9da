/**
 * `npm test`: everything, in the order in which a mistake is found soonest. The last line is `N passed, M failed`.
 * `npm run test:deep` (`--deep`) runs each test at full depth instead of a sample (test/kit/depth.ts).
 * PINCER_TEST_SYSTEM=skip lists the suites whose system packages are missing instead of failing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { prepareSystem } from './system.ts';

const ROOT = join(import.meta.dirname, '..');
if (process.argv.includes('--deep')) process.env['PINCER_TEST_DEEP'] = '1';
const BIN = join(ROOT, 'node_modules', '.bin');

interface Step {
  name: string;
  /** The command; a test step adds its counts. */
  command: string[];
  isTest?: boolean;
  /** What has begun earlier and must have ended. */
  after?: Promise<unknown>;
  /** Runs while the next steps do, and is shown when it has ended. */
  isBeside?: boolean;
}

interface Outcome {
  name: string;
  seconds: number;
  hasPassed: boolean;
  passed: number;
  failed: number;
  /** Each failed test with the first line of its reason. */
  failures: string[];
  files: FileTime[];
}

interface FileTime {
  file: string;
  seconds: number;
}

/** What vitest's JSON report has that is read here. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    message: string;
    status: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

/** As many as are worth reading after the summary. */
const SHOWN_FAILURES = 30;
/** Files that took less are not listed. */
const SHOWN_SECONDS = 1;

/** Lines of test/kit/repeats.ts. */
const folder = mkdtempSync(join(tmpdir(), 'pincer-test-'));
const REPEATS = join(folder, 'repeats.ndjson');

const script = (name: string): Step => ({ name, command: ['npm', 'run', '--silent', name] });
const tests = (name: string, ...more: string[]): Step => ({
  name,
  command: ['vitest', 'run', '--project', name, ...more],
  isTest: true,
});

/**
 * The steps of `npm run check`, then the suite on the built program. What waits more than it works begins as soon as
 * there is something built, and OpenClaw's suite first, which takes longest.
 */
function steps(skipped: readonly string[], openclawInstalled: Promise<unknown>): Step[] {
  const exclude = skipped.flatMap((suite) => ['--exclude', suite]);
  return [
    script('format:check'),
    // Before the linter, which reads the types of one package that another one uses.
    script('typecheck'),
    script('build'),
    { ...tests('openclaw', ...exclude), after: openclawInstalled, isBeside: true },
    { ...script('conformance'), isBeside: true },
    script('lint'),
    script('knip'),
    script('publint'),
    tests('unit'),
    tests('e2e', ...exclude),
  ];
}

async function run(step: Step, folder: string): Promise<Outcome> {
  const { name, command, isTest = false, isBeside = false, after } = step;
  const report = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [program = '', ...args] = isTest ? [...command, ...reporters] : command;
  const log = join(folder, `${name}.log`);
  if (!isBeside) console.log(`\n=== ${name}`);
  const begun = performance.now();
  await after;
  const hasPassed = await ended(program, args, isBeside ? log : undefined);
  if (isBeside) console.log(`\n=== ${name}\n${readFileSync(log, 'utf8')}`);
  const seconds = (performance.now() - begun) / 1_000;
  const counts = isTest ? countsIn(report) : { passed: 0, failed: 0, failures: [], files: [] };
  return { name, seconds, hasPassed, ...counts };
}

/** Whether a program ended well. What it says goes to a file where there is one. */
async function ended(program: string, args: readonly string[], log?: string): Promise<boolean> {
  const output = log === undefined ? 'inherit' : openSync(log, 'a');
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', output, output],
    env: {
      ...process.env,
      PINCER_TEST_REPEATS: REPEATS,
      PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
  if (output !== 'inherit') closeSync(output);
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    return status === 0;
  } catch (error) {
    console.error(String(error));
    return false;
  }
}

/** A report that is not there means that the run broke down: one failure. */
function countsIn(report: string): Pick<Outcome, 'passed' | 'failed' | 'failures' | 'files'> {
  try {
    const read = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const files = read.testResults.map(({ name, startTime, endTime }) => ({
      file: relative(ROOT, name),
      seconds: (endTime - startTime) / 1_000,
    }));
    return { passed: read.numPassedTests, failed: read.numFailedTests, failures: failuresIn(read), files };
  } catch {
    return { passed: 0, failed: 1, failures: [], files: [] };
  }
}

function failuresIn({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, message, status, assertionResults }) => {
    const file = relative(ROOT, name);
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages?.[0])}`);
    // A file whose hooks failed has no failed test to name.
    return status === 'failed' && tests.length === 0 ? [`${file}: ${firstLine(message)}`] : tests;
  });
}

/** How often each kind of thing was done once more. */
function repeats(): Map<string, number> {
  const counts = new Map<string, number>();
  if (!existsSync(REPEATS)) return counts;
  for (const line of readFileSync(REPEATS, 'utf8').trimEnd().split('\n')) {
    const { what } = JSON.parse(line) as { what: string };
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

const firstLine = (text = ''): string => text.split('\n', 1)[0]?.slice(0, 300) ?? '';

const system = prepareSystem();
// OpenClaw is large: it is installed while the first steps run. Where that fails, its own step says so.
const openclawInstalled = ended(process.execPath, [join(ROOT, 'test', 'openclaw', 'install.ts')]);
const outcomes: Outcome[] = [];
const all = steps(system.skipped, openclawInstalled);
const beside: Promise<unknown>[] = [];
for (const step of all) {
  const start = async (): Promise<number> => outcomes.push(await run(step, folder));
  if (step.isBeside === true) beside.push(start());
  else await start();
}
await Promise.all(beside);

console.log('\n=== time of each file, slowest first');
for (const { file, seconds } of outcomes
  .flatMap(({ files }) => files)
  .toSorted((a, b) => b.seconds - a.seconds))
  if (seconds >= SHOWN_SECONDS) console.log(`${seconds.toFixed(1).padStart(7)} s ${file}`);

for (const [what, times] of repeats()) console.log(`\nrepeated ${times} times: ${what}`);

console.log('\n=== summary');
for (const { name, seconds, hasPassed } of outcomes)
  console.log(`${hasPassed ? 'ok    ' : 'FAILED'} ${name.padEnd(14)} ${seconds.toFixed(1).padStart(7)} s`);
for (const failure of outcomes.flatMap(({ failures }) => failures).slice(0, SHOWN_FAILURES))
  console.log(`FAILED ${failure}`);
for (const suite of system.skipped) console.log(`skipped ${suite}`);
for (const sentence of system.missing) console.log(`FAILED ${sentence}`);

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
// A step that broke without a failed test counts as one failure, so that the last line never says that all is well.
const broken = outcomes.filter((outcome) => !outcome.hasPassed && outcome.failed === 0).length;
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0) + broken + system.missing.length;
process.exitCode = failed > 0 || outcomes.some(({ hasPassed }) => !hasPassed) ? 1 : 0;
console.log(`${passed} passed, ${failed} failed`);
rmSync(folder, { recursive: true, force: true });
