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

/** Folders that are parts of the picture; files beside them put the parts together. */
const layerOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path);

/** What each part may import besides itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  core: [],
  app: [],
  config: ['core'],
  store: ['core'],
  observe: ['core'],
  owner: ['core'],
  client: ['core', 'owner', 'version.ts'],
  openclaw: ['core', 'version.ts'],
  sources: ['core', 'openclaw', 'version.ts'],
  surfaces: ['core', 'openclaw', 'version.ts'],
};
/** Where parts meet. */
const ROOTS: ReadonlySet<string> = new Set(['hub.ts', 'hub', 'daemon.ts', 'daemon', 'index.ts', 'cli']);
/** The shape of a server's configuration is known to the source that it configures, as a type. */
const isTypeOfConfig = ({ from, to, isType }: Import): boolean =>
  isType && from.startsWith('sources/') && to.startsWith('config/');

const show = ({ from, to }: Import): string => `${from} → ${to}`;

describe('the direction of imports', () => {
  it('every source file is read', () => {
    expect(files.length).toBeGreaterThan(80);
    expect(imports.filter(({ isLocal, to }) => isLocal && !files.includes(to)).map(show)).toEqual([]);
  });

  it('every folder has its place', () => {
    const known = new Set([...Object.keys(ALLOWED), ...ROOTS, 'version.ts']);
    expect([...new Set(files.map(layerOf))].filter((layer) => !known.has(layer))).toEqual([]);
  });

  it('core imports nothing but core', () => {
    const foreign = imports.filter(({ from, to, isLocal }) => {
      return layerOf(from) === 'core' && !(isLocal && layerOf(to) === 'core');
    });
    expect(foreign.map(show)).toEqual([]);
  });

  it('approvals and trust know nothing of the calls that ask for them', () => {
    const known = imports.filter(
      ({ from, to }) => /^core\/(approvals|trust)\//.test(from) && to.startsWith('core/call/'),
    );
    expect(known.map(show)).toEqual([]);
  });

  it('a source never imports a surface, nor the other way round', () => {
    const crossed = imports.filter(({ from, to }) => {
      const pair = [layerOf(from), layerOf(to)];
      return pair.includes('sources') && pair.includes('surfaces');
    });
    expect(crossed.map(show)).toEqual([]);
  });

  it('every part imports only what is below it', () => {
    const wrong = imports.filter((each) => {
      const from = layerOf(each.from);
      if (!each.isLocal || ROOTS.has(from) || isTypeOfConfig(each)) return false;
      return layerOf(each.to) !== from && !ALLOWED[from]?.includes(layerOf(each.to));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('nothing below imports where parts meet', () => {
    const upward = imports.filter(({ from, to, isLocal }) => {
      return isLocal && ROOTS.has(layerOf(to)) && !ROOTS.has(layerOf(from));
    });
    expect(upward.map(show)).toEqual([]);
    const intoCli = imports.filter(({ from, to }) => layerOf(to) === 'cli' && layerOf(from) !== 'cli');
    expect(intoCli.map(show)).toEqual([]);
  });

  it('kinds of source do not import each other', () => {
    const kindOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    const between = imports.filter(({ from, to }) => {
      return layerOf(from) === 'sources' && layerOf(to) === 'sources' && kindOf(from) !== kindOf(to);
    });
    expect(between.map(show)).toEqual([]);
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
