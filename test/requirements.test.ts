import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
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
  /** Calls whose arguments are not string literals, or that are not in the body of a test. */
  readonly wrong: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Returns `it` for `it.each(rows)(title, body)`, undefined where the callee has no leading name. */
function leadingName(callee: Node): string | undefined {
  const { type, name, object, tag, callee: inner } = callee as Node & Partial<Record<string, unknown>>;
  if (type === 'Identifier') return name as string;
  const next = type === 'MemberExpression' ? object : type === 'TaggedTemplateExpression' ? tag : inner;
  return next === undefined ? undefined : leadingName(next as Node);
}

function scan(text: string): Scan {
  const ids = new Set<string>();
  const wrong: string[] = [];
  /** Which call a function is an argument of, by the start of the function. */
  const takers = new Map<number, string | undefined>();
  const within: (string | undefined)[] = [];
  const enter = ({ start }: Node): void => void within.push(takers.get(start));
  const leave = (): void => void within.pop();
  new Visitor({
    CallExpression(call) {
      const name = leadingName(call.callee);
      for (const { type, start } of call.arguments)
        if (type === 'ArrowFunctionExpression' || type === 'FunctionExpression') takers.set(start, name);
      if (name !== 'verifies') return;
      const source = text.slice(call.start, call.end);
      for (const argument of call.arguments)
        if (argument.type === 'Literal' && typeof argument.value === 'string') ids.add(argument.value);
        else wrong.push(`${source} takes string literals only`);
      if (call.arguments.length === 0) wrong.push(`${source} names no row`);
      if (!['it', 'test'].includes(within.at(-1) ?? '')) wrong.push(`${source} is not in the body of a test`);
    },
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
  }).visit(parseSync('test.ts', text).program);
  return { ids, wrong };
}

const NONE: Scan = { ids: new Set(), wrong: [] };

const scans = new Map<string, Scan>(
  globSync(['test/**/*.{ts,tsx}', 'packages/*/src/**/*.test.{ts,tsx}'], {
    cwd: root,
    exclude: (path) => path.endsWith('node_modules'),
  })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !notScanned.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return [path, text.includes('verifies(') ? scan(text) : NONE];
    }),
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
    expect(seen.has(says), `${id} repeats the sentence of another row`).toBe(false);
    seen.add(says);
    if (differs !== undefined) expect(differs.trim(), id).not.toBe('');
  }
});

test('a row without tests says which planned part will fulfil it, and no other row does', () => {
  const wrong = requirements.filter(
    ({ tests, planned }) => (tests === 'not yet') !== (planned !== undefined),
  );
  expect(wrong.map(({ id }) => id)).toEqual([]);
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
  for (const [path, { ids }] of scans)
    for (const id of ids) {
      const tests = listed.get(id);
      if (tests === undefined) wrong.push(`${path}: ${id} is no requirement`);
      else if (tests === 'not yet') wrong.push(`${path}: ${id} is still 'not yet'`);
      else if (!tests.includes(path)) wrong.push(`${path}: ${id} does not list this file`);
    }
  expect(wrong).toEqual([]);
});

test('each call of verifies is in the body of a test and takes string literals', () => {
  expect([...scans].flatMap(([path, { wrong }]) => wrong.map((each) => `${path}: ${each}`))).toEqual([]);
});

test('finds calls in the source, and those at the wrong place', () => {
  const found = scan(`
    it('a', () => { verifies('000-a'); });
    describe('b', () => {
      it.each([1])('c', async () => { verifies('001-b.1-c', '002-d'); });
      // verifies('003-e')
    });
  `);
  expect([...found.ids]).toEqual(['000-a', '001-b.1-c', '002-d']);
  expect(found.wrong).toEqual([]);
  const misplaced = [
    `verifies('000-a');`,
    `describe('a', () => { verifies('000-a'); });`,
    `beforeEach(() => { verifies('000-a'); });`,
    `function help() { verifies('000-a'); } it('a', () => help());`,
    `it('a', () => { rows.forEach(() => { verifies('000-a'); }); });`,
  ];
  for (const text of misplaced)
    expect(scan(text).wrong).toEqual([`verifies('000-a') is not in the body of a test`]);
  expect(scan(`it('a', () => { verifies(...ids); });`).wrong).toEqual([
    'verifies(...ids) takes string literals only',
  ]);
  expect(scan(`it('a', () => { verifies(); });`).wrong).toEqual(['verifies() names no row']);
});

test('verifies takes known ids and throws on any other', () => {
  expect(() => verifies('004-4.4-session-404', '000-http-bind')).not.toThrow();
  expect(() => verifies('004-no-such-row' as RequirementId)).toThrow('Unknown requirement: 004-no-such-row');
});

test('counts per seed', () => {
  const seeds = ['000', '001', '002', '003', '004'] as const;
  const line = (name: string, rows: typeof requirements): string => {
    const planned = rows.filter((row) => row.planned !== undefined).length;
    const differing = rows.filter((row) => row.planned === undefined && row.differs !== undefined).length;
    const cells = [name, rows.length - planned - differing, differing, planned, rows.length];
    return cells.map((cell) => String(cell).padStart(9)).join('');
  };
  const table = [
    ['seed', 'tested', 'differs', 'planned', 'all'].map((cell) => cell.padStart(9)).join(''),
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
