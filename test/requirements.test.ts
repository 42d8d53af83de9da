import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { requirements, type RequirementId } from './requirements.ts';
import { verifies } from './verifies.ts';

const root = join(import.meta.dirname, '..');

/** These files are about `verifies` itself. */
const notScanned =
  /^test\/(?:requirements(?:\.test)?\.ts|requirements\/|verifies\.ts)|(?:^|\/)(?:node_modules|dist)\//;

interface Scan {
  /** The ids that a file names in its `verifies(…)` calls. */
  readonly ids: ReadonlySet<string>;
  /** Arguments that are not string literals and so cannot be read from the text. */
  readonly unreadable: readonly string[];
}

function scan(text: string): Scan {
  const ids = new Set<string>();
  const unreadable: string[] = [];
  const code = text.replaceAll(/^\s*(?:\/\/|\/\*|\*).*$/gm, '');
  for (const [call, args = ''] of code.matchAll(/\bverifies\(([^)]*)\)/g)) {
    for (const [, id = ''] of args.matchAll(/'([^']*)'/g)) ids.add(id);
    const rest = args.replaceAll(/'[^']*'/g, '').replaceAll(/[\s,]/g, '');
    if (rest !== '' || args.trim() === '') unreadable.push(call);
  }
  return { ids, unreadable };
}

const scans = new Map<string, Scan>(
  globSync(['test/**/*.{ts,tsx}', 'packages/*/src/**/*.test.{ts,tsx}'], {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !notScanned.test(path))
    .sort()
    .map((path) => [path, scan(readFileSync(join(root, path), 'utf8'))]),
);

test('ids are unique and begin with their seed', () => {
  const seen = new Set<string>();
  for (const { id, seed } of requirements) {
    expect(seen.has(id), `${id} is there twice`).toBe(false);
    seen.add(id);
    expect(id).toMatch(/^\d{3}-[a-z0-9]+(?:[.-][a-z0-9]+)*$/);
    expect(id.startsWith(`${seed}-`), `${id} belongs to seed ${seed}`).toBe(true);
  }
});

test('each row is one sentence of its own', () => {
  const seen = new Set<string>();
  for (const { id, section, says, differs } of requirements) {
    expect(section.trim(), id).not.toBe('');
    expect(says, id).toMatch(/^\S.*\S\.$/);
    expect(says.length, id).toBeLessThan(240);
    expect(says, `${id} is more than one sentence`).not.toMatch(/[.!?] +[A-Z]/);
    expect(seen.has(says), `${id} says what another row says`).toBe(false);
    seen.add(says);
    if (differs !== undefined) expect(differs.trim(), id).not.toBe('');
  }
});

test('each file that a row lists exists and names the row', () => {
  const wrong: string[] = [];
  for (const { id, tests } of requirements) {
    if (tests === 'not yet') continue;
    if (tests.length === 0) wrong.push(`${id}: an empty list, write 'not yet'`);
    if (new Set(tests).size !== tests.length) wrong.push(`${id}: a file is listed twice`);
    for (const path of tests) {
      if (!existsSync(join(root, path))) wrong.push(`${id}: ${path} does not exist`);
      else if (!scans.get(path)?.ids.has(id)) wrong.push(`${id}: ${path} does not name it in verifies()`);
    }
  }
  expect(wrong).toEqual([]);
});

test('each id that a test names is a row that lists the file', () => {
  const listed = new Map(requirements.map(({ id, tests }) => [id, tests]));
  const wrong: string[] = [];
  for (const [path, { ids, unreadable }] of scans) {
    for (const call of unreadable) wrong.push(`${path}: ${call} takes string literals only`);
    for (const id of ids) {
      const tests = listed.get(id);
      if (tests === undefined) wrong.push(`${path}: ${id} is no requirement`);
      else if (tests === 'not yet') wrong.push(`${path}: ${id} is still 'not yet'`);
      else if (!tests.includes(path)) wrong.push(`${path}: ${id} does not list this file`);
    }
  }
  expect(wrong).toEqual([]);
});

test('calls are found in the text of a test', () => {
  const found = scan(
    "  verifies('000-a');\n  verifies(\n    '001-b.1-c',\n    '002-d',\n  );\n  // verifies('003-e')\n",
  );
  expect([...found.ids]).toEqual(['000-a', '001-b.1-c', '002-d']);
  expect(found.unreadable).toEqual([]);
  expect(scan('verifies(...ids);').unreadable).toEqual(['verifies(...ids)']);
});

test('verifies takes known ids and throws on any other', () => {
  expect(() => verifies('004-4.4-session-404', '000-http-bind')).not.toThrow();
  expect(() => verifies('004-no-such-row' as RequirementId)).toThrow('Unknown requirement: 004-no-such-row');
});

test('counts per seed', () => {
  const seeds = ['000', '001', '002', '003', '004'] as const;
  const line = (name: string, rows: typeof requirements): string => {
    const open = rows.filter(({ tests }) => tests === 'not yet').length;
    return [name, rows.length - open, open, rows.length].map((cell) => String(cell).padStart(9)).join('');
  };
  const table = [
    ['seed', 'verified', 'not yet', 'all'].map((cell) => cell.padStart(9)).join(''),
    ...seeds.map((seed) =>
      line(
        seed,
        requirements.filter((row) => row.seed === seed),
      ),
    ),
    line('all', requirements),
  ];
  console.log(table.join('\n'));
  for (const seed of seeds) expect(requirements.some((row) => row.seed === seed)).toBe(true);
});
