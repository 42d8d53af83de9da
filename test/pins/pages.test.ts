/** Pages that list all of something do so, and all of them lead to what there is. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runProgram } from '../../packages/hub/src/cli/program.ts';
import { parseConfig } from '../../packages/hub/src/config/load.ts';
import { parseConfigText } from '../../packages/hub/src/config/read-file.ts';
import { keysAt } from '../../packages/hub/src/config/shape.ts';
import { DEFAULT_LIMITS } from '../../packages/hub/src/core/limits.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'packages/hub/src');
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** How a path begins that is one of the repository or of the hub's sources. */
const PLACE =
  /^(?:agent|app|apps|cli|config|control|core|daemon|device|http|hub|lib|mcp|observe|openclaw|owner|servers|store|docs|test|bench|examples|scripts|packages)\//;
/** Files that each category of this machine has. */
const OF_A_CATEGORY: ReadonlySet<string> = new Set(['capability.ts', 'commands.ts']);

/** The first cells of a page's rows, each with the rest of its row. */
const rowsOf = (text: string): Map<string, string[]> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, first = '', ...rest]) => [first, rest]),
  );

const section = (text: string, heading: string): string =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';

describe('config.md', () => {
  const page = read('docs/config.md');

  it('has every setting at the top level', () => {
    const rows = rowsOf(section(page, 'Top level'));
    const settings = keysAt([]).flatMap((key) => {
      const inner = key === 'servers' || key === 'limits' ? [] : keysAt([key]);
      return inner.length === 0 ? [key] : inner.map((each) => `${key}.${each}`);
    });
    expect([...rows.keys()].toSorted()).toEqual(settings.map((each) => `\`${each}\``).toSorted());
  });

  it('has every setting of a server', () => {
    const servers = section(page, 'Servers');
    const settings = keysAt(['servers', 'any']);
    expect([...rowsOf(servers).keys()].toSorted()).toEqual(settings.map((each) => `\`${each}\``).toSorted());
    for (const key of ['auth', 'toolFilter'])
      for (const each of keysAt(['servers', 'any', key])) expect(servers).toContain(`\`${each}\``);
  });

  it('has every limit with its default', () => {
    const written = [...rowsOf(section(page, 'Limits'))].map(([name, [value = '']]) => [
      name.replaceAll('`', ''),
      Number.parseInt(value, 10),
    ]);
    expect(Object.fromEntries(written)).toEqual(DEFAULT_LIMITS);
  });

  it('has examples that can be used', () => {
    const examples = [...page.matchAll(/```json5\n([^]*?)```/g)].map(([, text = '']) => text);
    expect(examples).not.toEqual([]);
    const env = { HOME: '/home/me' };
    for (const text of examples)
      expect(() =>
        parseConfig(parseConfigText(text, 'example'), env, 'example', () => 'secret'),
      ).not.toThrow();
  });
});

describe('cli.md', () => {
  const page = read('docs/cli.md');
  const helpOf = async (words: readonly string[]): Promise<string> => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      await runProgram([...words, '--help'], { home: '', entry: '', json: false, debug: false });
      return write.mock.calls.map(([text]) => String(text)).join('');
    } finally {
      write.mockRestore();
    }
  };
  const commandsOf = (help: string): string[] => {
    const [, after = ''] = help.split(/^(?:Run|Commands):$/m);
    const [commands = ''] = after.split(/^Examples:$/m);
    return [...commands.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  };
  const sectionOf = (name: string): string => {
    const row = page.split('\n').find((line) => line.startsWith('| [') && line.includes(`\`${name}`)) ?? '';
    return section(page, /\(#([a-z-]+)\)/.exec(row)?.[1] ?? '');
  };

  it('has every command with all its options', async () => {
    const names = commandsOf(await helpOf([]));
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const help = await helpOf([name]);
      const inner = commandsOf(help);
      const helps = [help, ...(await Promise.all(inner.map((each) => helpOf([name, each]))))];
      const options = helps.flatMap((text) => {
        const [own = ''] = text.split('Global Options:');
        return [...own.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
      });
      const text = sectionOf(name);
      expect(text, name).not.toBe('');
      expect(
        [...inner.map((each) => `pincer ${name} ${each}`), ...options].filter((it) => !text.includes(it)),
        name,
      ).toEqual([]);
    }
  });
});

describe('ARCHITECTURE.md and the pages of its parts', () => {
  const main = read('ARCHITECTURE.md');
  const parts = globSync('docs/architecture/*.md', { cwd: ROOT }).map(read).join('\n');
  const folders = [
    ...new Set(
      globSync('**/*.ts', { cwd: SOURCES })
        .map((path) => dirname(path))
        .filter((folder) => folder !== '.' && !folder.startsWith('cli/')),
    ),
  ];

  it('name files and folders that there are', () => {
    const named = [...`${main}${parts}`.matchAll(/`([\w.*-]+(?:\/[\w.*-]+)*\/?)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => PLACE.test(path) || /\w\.(?:ts|mjs)$/.test(path))
      .filter((path) => !OF_A_CATEGORY.has(path));
    expect(named.length).toBeGreaterThan(250);
    const isThere = (path: string): boolean =>
      [SOURCES, ROOT].some((folder) =>
        path.includes('*') ? globSync(path, { cwd: folder }).length > 0 : existsSync(join(folder, path)),
      );
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });

  it('show every folder of the sources, those of the command line aside', () => {
    const lines = `${main}\n${parts}`.split('\n').map((line) => line.trimStart());
    const isShown = (folder: string): boolean => lines.some((line) => line.startsWith(`${folder}/ `));
    expect(folders.filter((folder) => !isShown(folder))).toEqual([]);
  });

  it('say for each room what to open', () => {
    const index = section(main, 'To change X, open Y');
    const rooms = folders.filter((folder) => !folder.includes('/') && !['app', 'hub'].includes(folder));
    expect(rooms.length).toBeGreaterThan(12);
    expect(rooms.filter((folder) => !index.includes(`\`${folder}/`))).toEqual([]);
  });

  it('lead from the first to the others', () => {
    const pages = globSync('docs/architecture/*.md', { cwd: ROOT });
    expect(pages.filter((page) => !main.includes(`](${page.replaceAll(sep, '/')})`))).toEqual([]);
  });
});

describe('the docs', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/hub/README.md'], { cwd: ROOT })
    .map((page) => page.replaceAll(sep, '/'))
    // Generated from the commands.
    .filter((page) => page !== 'docs/device-commands.md');

  it('have an index that leads to every page', () => {
    const index = read('docs/README.md');
    const own = pages.filter((page) => /^docs\/[\w-]+\.md$/.test(page) && page !== 'docs/README.md');
    expect(own.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
  });

  it('keep ARCHITECTURE.md and the glossary short', () => {
    expect(read('ARCHITECTURE.md').split(/\s+/).length).toBeLessThanOrEqual(2_500);
    expect(read('docs/glossary.md').match(/^\| \*\*/gm)?.length).toBeLessThanOrEqual(20);
  });

  it('name their subjects', () => {
    const vague = /\b(?:nobody|whoever|somebody|whatever|gives back)\b/i;
    expect(pages.filter((page) => vague.test(read(page)))).toEqual([]);
  });
});

describe.each(globSync(['*.md', 'docs/**/*.md', 'packages/hub/README.md', 'bench/README.md'], { cwd: ROOT }))(
  '%s',
  (page) => {
    it('links to what there is', () => {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)?(?:#([^)]*))?\)/g)];
      const missing = links.filter(([, path, anchor]) => {
        const target = path === undefined ? join(ROOT, page) : join(ROOT, dirname(page), path);
        if (!existsSync(target)) return true;
        return (
          anchor !== undefined &&
          target.endsWith('.md') &&
          !anchorsOf(readFileSync(target, 'utf8')).has(anchor)
        );
      });
      expect(missing.map(([link]) => link)).toEqual([]);
    });
  },
);

/** As GitHub makes them of headings. */
function anchorsOf(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
