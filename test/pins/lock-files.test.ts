/** `npm ci` refuses a lock file that lacks any platform's optional package: see scripts/complete-lock.mjs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string>; resolved?: string }>;
}

const root = join(import.meta.dirname, '../..');

describe.each([
  'package-lock.json',
  'bench/package-lock.json',
  'test/clients/package-lock.json',
  'test/openclaw/package-lock.json',
  'test/publishing/package-lock.json',
])('%s', (path) => {
  const { packages } = JSON.parse(readFileSync(join(root, path), 'utf8')) as Lock;

  it('has a row for every optional package of every platform', () => {
    const missing = Object.entries(packages).flatMap(([parent, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`${parent}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('names no download address', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
  });
});
