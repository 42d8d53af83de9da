import { readFileSync, globSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = join(import.meta.dirname, '../../packages/hub/src');

interface Import {
  readonly from: string;
  /** A path below `src`, or the name of a package. */
  readonly to: string;
  readonly isType: boolean;
  readonly isLocal: boolean;
}

const STATEMENT =
  /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'|\bimport\(\s*(?:\/\*.*?\*\/\s*)?'([^']+)'\s*\)/gm;

/** What a source file imports; `import { type A }` alone is a type import like `import type`. */
function importsOf(from: string, text: string): Import[] {
  return [...text.matchAll(STATEMENT)].map(([, type, names = '', static_, dynamic]) => {
    const target = static_ ?? dynamic ?? '';
    const inBraces = /^\{([^]*)\}$/
      .exec(names.trim())?.[1]
      ?.split(',')
      .map((name) => name.trim());
    const isType =
      type !== undefined || (inBraces?.every((name) => name === '' || name.startsWith('type ')) ?? false);
    const isLocal = target.startsWith('.');
    const to = isLocal ? posix.normalize(posix.join(dirname(from), target)) : target;
    return { from, to, isType, isLocal };
  });
}

const files = globSync('**/*.ts', { cwd: src })
  .map((path) => path.replaceAll(sep, '/'))
  .filter((path) => !path.endsWith('.test.ts'))
  .sort();
const imports = files.flatMap((path) => importsOf(path, readFileSync(join(src, path), 'utf8')));

/** A room is a folder of `src`; a file beside them is a room of its own. */
const roomOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path);

const SHARED = ['mcp', 'http', 'openclaw', 'store', 'observe', 'config', 'owner', 'core', 'lib'];
/** What each room may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  core: ['lib'],
  config: ['core', 'lib'],
  store: ['core', 'lib'],
  observe: ['core', 'lib'],
  owner: ['core', 'lib'],
  openclaw: ['core', 'lib'],
  http: ['core', 'lib'],
  mcp: ['http', 'core', 'lib'],
  servers: SHARED,
  apps: SHARED,
  device: SHARED,
  agent: SHARED,
  control: SHARED,
  // The library for apps runs in browsers, too.
  app: [],
};
/** Where rooms are put together. */
const ROOTS: ReadonlySet<string> = new Set(['hub.ts', 'hub', 'daemon.ts', 'daemon', 'index.ts', 'cli']);

const show = ({ from, to }: Import): string => `${from} → ${to}`;

describe('the direction of imports', () => {
  it('every source file is read', () => {
    expect(files.length).toBeGreaterThan(80);
    expect(imports.filter(({ isLocal, to }) => isLocal && !files.includes(to)).map(show)).toEqual([]);
  });

  it('every folder is a known room', () => {
    const known = new Set([...Object.keys(ALLOWED), ...ROOTS]);
    expect([...new Set(files.map(roomOf))].filter((room) => !known.has(room))).toEqual([]);
  });

  it('core uses no module of Node and no package', () => {
    const foreign = imports.filter(({ from, isLocal }) => roomOf(from) === 'core' && !isLocal);
    expect(foreign.map(show)).toEqual([]);
  });

  it('approvals and trust do not import the calls that ask for them', () => {
    const known = imports.filter(
      ({ from, to }) => /^core\/(approvals|trust)\//.test(from) && to.startsWith('core/call/'),
    );
    expect(known.map(show)).toEqual([]);
  });

  it('a room imports only rooms below it, and no feature imports another', () => {
    const wrong = imports.filter(({ from, to, isLocal }) => {
      const room = roomOf(from);
      return isLocal && !ROOTS.has(room) && roomOf(to) !== room && !ALLOWED[room]?.includes(roomOf(to));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('clients of the hub import only types of its contract, so that no command loads zod for it', () => {
    const isClient = (from: string): boolean => from.startsWith('control/client/') || roomOf(from) === 'cli';
    const loaded = imports.filter(
      ({ from, to, isType }) => isClient(from) && to.startsWith('control/contract/') && !isType,
    );
    expect(loaded.map(show)).toEqual([]);
  });

  it('only the command line imports the command line', () => {
    const intoCli = imports.filter(({ from, to }) => roomOf(to) === 'cli' && roomOf(from) !== 'cli');
    expect(intoCli.map(show)).toEqual([]);
  });

  it('no two rooms import each other', () => {
    const doors = new Set(
      imports
        .filter(({ from, to, isLocal }) => isLocal && roomOf(from) !== roomOf(to))
        .map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`),
    );
    const isBothWays = (door: string): boolean => doors.has(door.split(' → ').toReversed().join(' → '));
    expect([...doors].filter(isBothWays)).toEqual([]);
  });

  it('there is no cycle', () => {
    const graph = new Map<string, string[]>(files.map((path) => [path, []]));
    for (const { from, to, isType, isLocal } of imports) if (isLocal && !isType) graph.get(from)!.push(to);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, way: readonly string[]): void => {
      if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' → '));
      if (done.has(path) || way.includes(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...way, path]);
      done.add(path);
    };
    for (const path of files) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

describe('how imports are read', () => {
  it('out of every form that there is', () => {
    const text = [
      `import a from './a.ts';`,
      `import type { B } from '../core/b.ts';`,
      `import { type C, d } from './c.ts';`,
      `import { type E } from 'e';`,
      `import {\n  type F,\n  type G,\n} from './f.ts';`,
      `import 'h';`,
      `import * as i from 'node:fs';`,
      `export { j, type K } from './j.ts';`,
      `export type { L } from './l.ts';`,
      `const m = await import('./m.ts');`,
    ].join('\n');
    expect(importsOf('x/y.ts', text).map(({ to, isType }) => `${to}${isType ? ' type' : ''}`)).toEqual([
      'x/a.ts',
      'core/b.ts type',
      'x/c.ts',
      'e type',
      'x/f.ts type',
      'h',
      'node:fs',
      'x/j.ts',
      'x/l.ts type',
      'x/m.ts',
    ]);
  });
});
