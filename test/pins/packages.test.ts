/** What is published: everything that is needed, and nothing else. OpenClaw copies it all at each reload of its plugins. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const HUB = join(import.meta.dirname, '../../packages/hub');
const MAX_FILES = 400;

const packed = (): string[] => {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: HUB });
  return (JSON.parse(text.toString()) as [{ files: { path: string }[] }])[0].files.map(({ path }) => path);
};

const IMPORT = /(?:from |import\()["'](\.[^"']+)\.(?:ts|js)["']/g;

/** The declarations that one needs, and those that these need. */
function declarations(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [, target] of readFileSync(join(HUB, path), 'utf8').matchAll(IMPORT))
    declarations(posix.normalize(`${dirname(path)}/${target}.d.ts`), seen);
  return seen;
}

describe('the package of the hub', () => {
  const files = packed();
  const manifest = JSON.parse(readFileSync(join(HUB, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string; default: string }>;
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };

  it('has what its exports name, with every declaration behind them', () => {
    const entries = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === 'string' ? [entry] : [entry.default, ...declarations(entry.types.slice(2))],
    );
    expect(entries.map((path) => path.replace('./', '')).filter((path) => !files.includes(path))).toEqual([]);
  });

  it('has no maps, no tests, no sources', () => {
    expect(files.filter((path) => /\.map$|\.test\.|^src\//.test(path))).toEqual([]);
    expect(files.length).toBeLessThan(MAX_FILES);
  });

  it('needs nothing but what cannot be bundled', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['@napi-rs/keyring']);
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['node-screenshots', 'sharp']);
    expect(files).toContain('dist/bundle/scale-child.js');
    expect(files).toContain('dist/bundle/licenses.txt');
  });
});
