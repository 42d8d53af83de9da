/**
 * `npm run mutation`: puts small faults into the product, one at a time, and reports which ones `npm test` finds. It
 * works in a clone of the committed tree. The same seed chooses the same faults.
 *
 *   --seed TEXT    which faults (1)
 *   --count N      how many (60)
 *   --only A,B     these of them, by number
 *   --list         only show them
 *   --suites A,B   of types, unit, e2e, conformance, openclaw: stop at the first that finds the fault (types,unit,e2e)
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../fuzz/random.ts';
import { applyMutant, findMutants, type Mutant } from './mutants.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = 'packages/hub/src';
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    suites: { type: 'string', default: 'types,unit,e2e' },
  },
});

interface Chosen extends Mutant {
  number: number;
  file: string;
  line: number;
}

/** Each room in turn, a random file of it, a random fault in that. */
function choose(root: string, count: number): Chosen[] {
  const random = createRandom(values.seed);
  const files = globSync(`${SOURCES}/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    .toSorted();
  const rooms = Map.groupBy(files, (file) => file.split('/')[3]!);
  const names = [...rooms.keys()].filter((name) => !name.endsWith('.ts'));
  const chosen = new Map<string, Chosen>();
  for (let turn = 0; chosen.size < count; turn++) {
    const file = random.pick(rooms.get(names[turn % names.length]!)!);
    const source = readFileSync(join(root, file), 'utf8');
    const mutants = findMutants(source);
    if (mutants.length === 0) continue;
    // By kind first: comparisons would otherwise outnumber everything else.
    const kind = random.pick([...new Set(mutants.map((each) => each.kind))]);
    const mutant = random.pick(mutants.filter((each) => each.kind === kind));
    const line = source.slice(0, mutant.start).split('\n').length;
    const key = `${file}:${mutant.start}`;
    if (!chosen.has(key)) chosen.set(key, { ...mutant, file, line, number: chosen.size + 1 });
  }
  return [...chosen.values()];
}

/** End-to-end files that are most likely to notice a fault in a room run first. */
const NEAR: Readonly<Record<string, readonly string[]>> = {
  apps: ['proxy', 'apps', 'app-library', 'cli-apps'],
  app: ['app-library', 'web-app', 'proxy-seed'],
  device: ['device', 'node'],
  cli: ['cli'],
  agent: ['agent', 'mcp-server'],
  store: ['store', 'approvals', 'full-disk', 'audit'],
  owner: ['owner', 'child', 'hostile'],
  servers: ['sign-in', 'http-upstream', 'cut', 'sharing', 'isolation'],
  mcp: ['listing', 'streams', 'eras', 'tool-surface', 'slots'],
};

const clone = values.list ? ROOT : mkdtempSync(join(tmpdir(), 'pincer-mutation-'));
const env = {
  ...process.env,
  PATH: `${join(clone, 'node_modules', '.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
};
const run = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { cwd: clone, env, stdio: 'ignore', timeout: 1_800_000 }).status === 0;

const vitest = (project: string, ...args: string[]): boolean =>
  run('vitest', 'run', '--project', project, '--bail=1', '--maxWorkers=2', ...args);

const SUITES: Readonly<Record<string, (mutant: Chosen) => boolean>> = {
  types: () => run('tsc', '-b'),
  unit: ({ file }) => run('vitest', 'related', '--run', '--project', 'unit', '--bail=1', file),
  e2e({ file }) {
    if (!run('npm', 'run', '--silent', 'build')) return false;
    const near = (NEAR[file.split('/')[3]!] ?? []).map((name) => `test/e2e/${name}`);
    return (near.length === 0 || vitest('e2e', ...near)) && vitest('e2e');
  },
  conformance: () => run('npm', 'run', '--silent', 'conformance'),
  openclaw: () => vitest('openclaw'),
};

function tryMutant(mutant: Chosen): string | undefined {
  const path = join(clone, mutant.file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, applyMutant(source, mutant));
  try {
    return values.suites.split(',').find((suite) => !SUITES[suite]!(mutant));
  } finally {
    writeFileSync(path, source);
  }
}

const describe = ({ number, file, line, kind }: Chosen): string =>
  `${String(number).padStart(3)} ${file}:${line} ${kind}`;

if (!values.list) {
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  execFileSync('npm', ['ci', '--silent'], { cwd: clone, stdio: 'inherit' });
  if (!run('npm', 'run', '--silent', 'build') || !existsSync(join(clone, 'packages/hub/dist')))
    throw new Error('The clone does not build.');
}
const only = values.only?.split(',').map(Number);
const chosen = choose(clone, Number(values.count)).filter(({ number }) => only?.includes(number) !== false);
const survivors: Chosen[] = [];
for (const mutant of chosen) {
  if (values.list) {
    console.log(describe(mutant));
    continue;
  }
  const begun = performance.now();
  const finder = tryMutant(mutant);
  if (finder === undefined) survivors.push(mutant);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(
    `${describe(mutant)}: ${finder === undefined ? 'SURVIVED' : `found by ${finder}`} (${seconds} s)`,
  );
}
if (!values.list) {
  rmSync(clone, { recursive: true, force: true });
  console.log(`${chosen.length - survivors.length} of ${chosen.length} found.`);
  for (const mutant of survivors) console.log(`survived: ${describe(mutant)}: ${mutant.replacement}`);
}
