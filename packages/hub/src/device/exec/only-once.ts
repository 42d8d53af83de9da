/**
 * Decides whether a command can be allowed only once. A permanent approval must cover what the person saw: a program
 * that loads code from files that cannot be listed may run other code tomorrow.
 */
import { basename } from 'node:path';
import type { Chain, Link } from './chain.ts';
import { isReadOnlyGit } from './git.ts';
import { isAdminOnly, programName } from './machine.ts';
import { runsCode } from './inline-code.ts';

/** Facts from the file of a program. */
export interface ProgramFacts {
  readonly isScript: boolean;
  /** Why the program runs in place and not as a copy. Completes a sentence that begins with its name. */
  readonly whyInPlace: string | undefined;
}

export interface OnlyOnce {
  /** Completes the sentence "It cannot be allowed for good: …". */
  readonly reason: string;
  /** Whole sentences for the person who decides. */
  readonly notCovered: readonly string[];
}

/** Programs that run what files in the working folder tell them to, besides interpreters (inline-code.ts). */
const RUN_THE_FOLDER: ReadonlySet<string> = new Set(
  `docker podman nerdctl docker-compose helm vagrant just task hg bzr svn lldb bmake remake waf xmake premake tup
  buck pants please earthly dagger act mise asdf turbo nx lerna msbuild xcodebuild bazelisk jam bjam b2 qmake
  pytest tox nox hatch eslint jest vitest mocha tsc webpack vite rollup gulp grunt esbuild hugo jekyll mkdocs
  gh glab hub tig lazygit gitk gitui scalar jj repo etckeeper stg quilt cvs darcs fossil kubectl oc rustc rustup protoc
  buf packer pulumi flutter mix rebar dune opam raco guix crystal nim gs tex latex pdftex pdflatex xetex xelatex biber
  sphinx-build pre-commit dpkg-buildpackage debuild rpmbuild flake8 mypy pylint black ruff rubocop rspec phpunit
  ctags doxygen`
    .split(/\s+/)
    .map(programName),
);

const CHANGING = 'Files that are not listed here may change before it runs.';

const NOT_COVERED: ReadonlyMap<string, string> = new Map([
  ...['make', 'gmake'].map(
    (name) =>
      [
        name,
        `${name} reads its makefile and all included files, and runs the programs that they name.`,
      ] as const,
  ),
  ...['npm', 'pnpm', 'yarn', 'bun'].map(
    (name) => [name, `${name} runs the scripts of package.json and the programs that they start.`] as const,
  ),
  ...['node', 'nodejs', 'deno', 'tsx'].map(
    (name) => [name, `${name} loads every file that the script imports.`] as const,
  ),
  ...['python', 'pypy'].map(
    (name) =>
      [name, `${name} loads every module that the script imports, also from the script's folder.`] as const,
  ),
  ['git', `git runs hooks, filters and helpers that the repository's settings name.`],
]);

/** `factsOf` takes the path of a program. */
export function whyOnlyOnce(
  { links, isOpaque }: Chain,
  factsOf: (path: string) => ProgramFacts | undefined,
): OnlyOnce | undefined {
  const found = links.flatMap((link) => judge(link, factsOf(link.executable.path)) ?? []);
  const [first] = found;
  const reason =
    first?.reason ?? (isOpaque ? 'it starts programs that its command line does not name' : undefined);
  if (reason === undefined) return undefined;
  const notes = [...new Set(found.map(({ note }) => note))];
  const opaque = isOpaque ? ['It may start programs that its command line does not name.'] : [];
  return { reason, notCovered: [...notes, ...opaque, CHANGING] };
}

interface Judged {
  readonly reason: string;
  readonly note: string;
}

function judge({ argv, executable, names: all }: Link, facts: ProgramFacts | undefined): Judged | undefined {
  const names = [...all];
  const code = names.find(
    (name) => runsCode(name) || RUN_THE_FOLDER.has(name) || /^(?:git|cargo|docker)-/.test(name),
  );
  if (code !== undefined)
    return {
      reason: `${code} runs code from files that cannot all be listed`,
      note: NOT_COVERED.get(code) ?? `${code} may load code from other files.`,
    };
  if (names.includes('git') && !(isReadOnlyGit(argv) && isAdminOnly(executable.path)))
    return {
      reason: 'this git command may run programs that the repository names',
      note: NOT_COVERED.get('git')!,
    };
  const name = basename(executable.path);
  if (facts?.isScript === true)
    return {
      reason: `${name} is a script, which may load other files`,
      note: `${name} is a script: it may load other files and start other programs.`,
    };
  return facts?.whyInPlace === undefined
    ? undefined
    : { reason: `${name} ${facts.whyInPlace}`, note: `${name} ${facts.whyInPlace}.` };
}
