/** The pages for clients say what is true: the versions that the tests run, snippets that can be pasted, and no page that nobody finds. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/clients');
const INDEX = 'README.md';

const pages = readdirSync(FOLDER);
const textOf = (page: string): string => readFileSync(join(FOLDER, page), 'utf8');

interface Manifest {
  dependencies: Record<string, string>;
}

const { dependencies } = JSON.parse(
  readFileSync(join(ROOT, 'test/clients/package.json'), 'utf8'),
) as Manifest;

it('the index leads to every page', () => {
  const linked = [...textOf(INDEX).matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page);
  expect(new Set(linked)).toEqual(new Set(pages.filter((page) => page !== INDEX)));
});

describe.each(pages)('%s', (page) => {
  it('names the versions that are tested', () => {
    const named = [...textOf(page).matchAll(/`((?:@[\w-]+\/)?[\w-]+)@(\d[\w.-]*)`/g)];
    const tested = named.filter(([, name = '']) => name in dependencies);
    expect(tested.map(([, name, version]) => `${name}@${version}`)).toEqual(
      tested.map(([, name = '']) => `${name}@${dependencies[name]}`),
    );
  });

  it('has JSON that is JSON', () => {
    for (const [, json = ''] of textOf(page).matchAll(/```json\n([^]*?)```/g))
      expect(() => void JSON.parse(json)).not.toThrow();
  });
});
