/**
 * Files that programs read without an argument and that name other programs to run: a Makefile, a package.json, the
 * settings of a repository. They are part of the plan, so a change during an approval is noticed.
 */
import { join, resolve } from 'node:path';
import type { Link } from './chain.ts';
import { gitInputs, upwards } from './git.ts';
import type { Machine } from './machine.ts';

interface Inputs {
  readonly names: readonly string[];
  /** Also looked for in the parent folders. */
  readonly isUpwards?: true;
}

const words = (text: string): readonly string[] => text.split(/\s+/);
const MAKE: Inputs = { names: words('GNUmakefile makefile Makefile') };
const NPM: Inputs = {
  names: words(
    `package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml`,
  ),
  isUpwards: true,
};
const PYTHON: Inputs = {
  names: words('pyproject.toml setup.py setup.cfg conftest.py pytest.ini tox.ini noxfile.py'),
};
const RUBY: Inputs = { names: words('Gemfile Gemfile.lock Rakefile .bundle/config'), isUpwards: true };
const COMPOSE: Inputs = {
  names: words(
    'compose.yaml compose.yml docker-compose.yml docker-compose.yaml docker-compose.override.yml Dockerfile .env',
  ),
};

/** By the name of the program (`programName`). */
const INPUTS: ReadonlyMap<string, Inputs> = new Map([
  ...words('make gmake bmake remake').map((name) => [name, MAKE] as const),
  ...words('npm npx pnpm pnpx yarn bun bunx corepack node nodejs tsx ts-node').map(
    (name) => [name, NPM] as const,
  ),
  ...words('pip pytest tox nox hatch poetry pipenv uv uvx').map((name) => [name, PYTHON] as const),
  ...words('rake bundle bundler gem').map((name) => [name, RUBY] as const),
  ...words('docker podman nerdctl docker-compose').map((name) => [name, COMPOSE] as const),
  [
    'cargo',
    {
      names: words('Cargo.toml build.rs .cargo/config.toml .cargo/config rust-toolchain.toml'),
      isUpwards: true,
    },
  ],
  ['go', { names: words('go.mod go.work'), isUpwards: true }],
  ['just', { names: words('justfile Justfile .justfile'), isUpwards: true }],
  ['task', { names: words('Taskfile.yml Taskfile.yaml'), isUpwards: true }],
  ['cmake', { names: words('CMakeLists.txt CMakePresets.json') }],
  ['ninja', { names: words('build.ninja') }],
  ['ant', { names: words('build.xml') }],
  ['mvn', { names: words('pom.xml .mvn/jvm.config .mvn/maven.config .mvn/extensions.xml') }],
  [
    'gradle',
    { names: words('build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties') },
  ],
  ['composer', { names: words('composer.json') }],
  ['vagrant', { names: words('Vagrantfile'), isUpwards: true }],
  ['hg', { names: words('.hg/hgrc'), isUpwards: true }],
  ['gdb', { names: words('.gdbinit') }],
  ['lldb', { names: words('.lldbinit') }],
]);

/** Returns absolute paths. Most of them do not exist. */
export async function implicitInputs(
  links: readonly Link[],
  cwd: string,
  machine: Machine,
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { argv, names: programs } of links)
    for (const name of programs) {
      if (name === 'git') for (const path of await gitInputs(argv, cwd, machine)) found.add(path);
      const { names = [], isUpwards } = INPUTS.get(name) ?? {};
      if (names.length === 0) continue;
      const folders = foldersOf(argv, cwd).flatMap((folder) =>
        isUpwards === true ? upwards(folder) : [folder],
      );
      for (const path of folders.flatMap((folder) => names.map((each) => join(folder, each))))
        found.add(path);
      if (INPUTS.get(name) === MAKE)
        for (const path of await includedBy(
          [...found, ...argv.slice(1).map((word) => resolve(cwd, word))],
          cwd,
          machine,
        ))
          found.add(path);
    }
  return [...found];
}

/** The working folder, and folders that an option names (`make -C`, `npm --prefix`). */
const foldersOf = (argv: readonly string[], cwd: string): string[] => [
  cwd,
  ...argv.flatMap((word, at) => {
    const glued = /^(?:-C(.+)|--(?:directory|prefix|dir|cwd|project-directory)=(.+))$/s.exec(word);
    const named = /^(?:-C|--directory|--prefix|--dir|--cwd|--project-directory)$/.test(word)
      ? argv[at + 1]
      : undefined;
    const folder = glued?.[1] ?? glued?.[2] ?? named;
    return folder === undefined ? [] : [resolve(cwd, folder)];
  }),
];

const MAX_READ = 16;
const MAX_BYTES = 256 * 1024;
const INCLUDE = /^[ ]*(?:-?include|sinclude)[ \t]+(.+)$/gm;

/**
 * Files that a Makefile includes by literal names. `from`: paths that may be
 * makefiles. Names with variables or patterns are skipped.
 */
async function includedBy(from: readonly string[], cwd: string, machine: Machine): Promise<string[]> {
  const waiting = [...from];
  const seen = new Set<string>();
  const included: string[] = [];
  for (const path of waiting) {
    if (seen.has(path) || seen.size >= MAX_READ) continue;
    const facts = machine.facts(path);
    if (facts?.kind !== 'file' || facts.size > MAX_BYTES) continue;
    seen.add(path);
    const text = (await machine.read(path, MAX_BYTES).catch(() => Buffer.alloc(0))).toString('utf8');
    for (const [, names = ''] of text.matchAll(INCLUDE))
      for (const name of names.split('#', 1)[0]!.split(/\s+/))
        if (name !== '' && !/[$*?[\]\\]/.test(name)) {
          included.push(resolve(cwd, name));
          waiting.push(resolve(cwd, name));
        }
  }
  return included;
}
