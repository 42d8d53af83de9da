/**
 * Git in plans and under entries of the policy. The settings of a repository name programs in dozens of places (filters,
 * hooks, helpers, fsmonitor, submodules). Under an entry git reads none of these settings: it gets a folder in place of
 * `.git` with the data for read-only commands and with settings that name no program.
 */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve, dirname } from 'node:path';
import type { Machine } from './machine.ts';

interface HardenedGit {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Settings of the command line override all others. A second barrier, in case git reads a settings file after all. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.sshCommand', 'false'],
  ['core.askPass', 'false'],
  ['core.editor', 'false'],
  ['core.alternateRefsCommand', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['protocol.ext.allow', 'never'],
];

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  // Allows no protocol, so missing objects are not fetched.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
};

/** Members of `.git` that all working trees share. */
const SHARED = ['objects', 'refs', 'packed-refs', 'shallow', 'info', 'reftable'];
/** Members of one working tree, including the state of a merge for `git status`. */
const OWN =
  `index logs ORIG_HEAD FETCH_HEAD MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG
  BISECT_START rebase-merge rebase-apply sequencer`.split(/\s+/);
const MAX_HEAD_BYTES = 1_024;
const MAX_SETTINGS_BYTES = 256 * 1024;

/** `folder`: private folder of this run. `argv`: a read-only command (`isReadOnlyGit`). */
export async function hardenGit(
  { argv, cwd, folder }: { readonly argv: readonly string[]; readonly cwd: string; readonly folder: string },
  machine: Machine,
): Promise<HardenedGit> {
  const [, command = '', ...rest] = argv;
  const found = await findGitFolder(cwd, machine);
  const gitDir = join(folder, 'git');
  await mkdir(gitDir, { mode: 0o700 });
  if (found !== undefined) await fillGitDir(gitDir, found, machine);
  return {
    args: ['--no-pager', command, ...safeOptions(command), ...rest],
    env: {
      ...VARIABLES,
      // Without a repository the folder is empty, and git reports that.
      GIT_DIR: gitDir,
      ...(found !== undefined && { GIT_WORK_TREE: found.workTree }),
    },
  };
}

async function fillGitDir(
  gitDir: string,
  { gitDir: own, commonDir }: GitFolder,
  machine: Machine,
): Promise<void> {
  for (const name of SHARED) await link(join(commonDir, name), join(gitDir, name), machine);
  for (const name of OWN) await link(join(own, name), join(gitDir, name), machine);
  for (const name of await readdir(own).catch(() => []))
    if (name.startsWith('sharedindex.')) await link(join(own, name), join(gitDir, name), machine);
  // Git reads a HEAD that is a symbolic link as the name of a branch.
  const head = await machine.read(join(own, 'HEAD'), MAX_HEAD_BYTES).catch(() => Buffer.from(''));
  await writeFile(join(gitDir, 'HEAD'), head, { mode: 0o600 });
  const settings = await machine
    .read(join(commonDir, 'config'), MAX_SETTINGS_BYTES)
    .catch(() => Buffer.from(''));
  await writeFile(join(gitDir, 'config'), safeSettings(settings.toString('utf8')), { mode: 0o600 });
}

async function link(from: string, to: string, machine: Machine): Promise<void> {
  if (machine.facts(from) !== undefined) await symlink(from, to);
}

/** Settings that describe the repository and are safe to keep, with their allowed values. */
const KEPT: ReadonlyMap<string, RegExp> = new Map([
  ['core.filemode', /^(?:true|false)$/i],
  ['core.ignorecase', /^(?:true|false)$/i],
  ['core.symlinks', /^(?:true|false)$/i],
  ['core.precomposeunicode', /^(?:true|false)$/i],
  ['core.autocrlf', /^(?:true|false|input)$/i],
  ['core.eol', /^(?:lf|crlf|native)$/i],
  ['extensions.objectformat', /^sha(?:1|256)$/i],
  ['extensions.refstorage', /^(?:files|reftable)$/i],
]);

function safeSettings(text: string): string {
  let section = '';
  const kept = new Map<string, string>();
  for (const line of text.split('\n')) {
    section =
      /^\s*\[\s*([A-Za-z]+)\s*\]/.exec(line)?.[1]?.toLowerCase() ?? (/^\s*\[/.test(line) ? '' : section);
    const [, name = '', value = ''] = /^\s*(?:\[[^\]]*\])?\s*([A-Za-z]+)\s*=\s*(\w+)\s*$/.exec(line) ?? [];
    const key = `${section}.${name.toLowerCase()}`;
    if (KEPT.get(key)?.test(value) === true) kept.set(key, value);
  }
  const isExtended = [...kept.keys()].some((key) => key.startsWith('extensions.'));
  const lines = [...kept].map(
    ([key, value]) => `[${key.split('.')[0]}]\n\t${key.split('.')[1]} = ${value}\n`,
  );
  return `[core]\n\trepositoryformatversion = ${isExtended ? 1 : 0}\n\tbare = false\n${lines.join('')}`;
}

const READS: ReadonlySet<string> = new Set(
  `status log diff show rev-parse rev-list ls-files ls-tree cat-file describe blame shortlog name-rev merge-base
  for-each-ref show-ref count-objects diff-tree diff-index diff-files whatchanged cherry`.split(/\s+/),
);
/** Other words would create a branch. */
const BRANCH_WORDS = /^(?:--list|-l|-a|-r|-v|-vv|--all|--remotes|--show-current)$/;

/**
 * Options that make a read-only command write a file, run something, or look into a submodule, which has settings of its
 * own. Git accepts any prefix of an option.
 */
const MORE_THAN_READS =
  `output ext-diff textconv filters no-index git-dir work-tree exec-path show-signature dirty broken submodule
  recurse-submodules contents`.split(/\s+/);

const doesMore = (word: string): boolean => {
  const option = /^--([^=]+)/.exec(word)?.[1];
  return option !== undefined && MORE_THAN_READS.some((each) => each.startsWith(option));
};

/** Commands that show changes. They may run diff drivers and look into submodules. */
const DIFFS: ReadonlySet<string> = new Set([
  'diff',
  'log',
  'show',
  'whatchanged',
  'diff-tree',
  'diff-index',
  'diff-files',
]);

/** Options that keep a read-only command from running what a repository names. */
function safeOptions(command: string): readonly string[] {
  if (DIFFS.has(command)) return ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
  return command === 'status' ? ['--ignore-submodules=all'] : [];
}

/** The command must be the first word: options before it may name another repository or settings. */
export function isReadOnlyGit([, command = '', ...rest]: readonly string[]): boolean {
  if (command === 'branch') return rest.every((word) => BRANCH_WORDS.test(word));
  return READS.has(command) && !rest.some(doesMore);
}

interface GitFolder {
  /** The folder that contains `.git`. */
  readonly workTree: string;
  /** `.git`, or the folder that a `.git` file names. */
  readonly gitDir: string;
  /** The folder that all working trees share. Often the same as `gitDir`. */
  readonly commonDir: string;
}

const MAX_POINTER_BYTES = 4_096;

/** @returns undefined if no folder above has a `.git`. Ignores bare repositories: any checkout could contain one. */
async function findGitFolder(cwd: string, machine: Machine): Promise<GitFolder | undefined> {
  for (const workTree of upwards(cwd)) {
    const place = join(workTree, '.git');
    const kind = machine.facts(place)?.kind;
    const pointed =
      kind === 'file' ? /^gitdir: (.+?)\s*$/s.exec(await textOf(place, machine))?.[1] : undefined;
    const gitDir = kind === 'folder' ? place : pointed === undefined ? undefined : resolve(workTree, pointed);
    if (gitDir === undefined) continue;
    const common = (await textOf(join(gitDir, 'commondir'), machine)).trim();
    return { workTree, gitDir, commonDir: common === '' ? gitDir : resolve(gitDir, common) };
  }
  return undefined;
}

async function textOf(path: string, machine: Machine): Promise<string> {
  if (machine.facts(path)?.kind !== 'file') return '';
  return (await machine.read(path, MAX_POINTER_BYTES).catch(() => Buffer.alloc(0))).toString('utf8');
}

const HOOKS =
  `applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg
  post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update
  reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman
  post-index-change`.split(/\s+/);

/** Settings and hooks of the repository that git would find. They name programs. */
export async function gitInputs(argv: readonly string[], cwd: string, machine: Machine): Promise<string[]> {
  const at = argv.indexOf('-C');
  const folder = at > 0 && argv[at + 1] !== undefined ? resolve(cwd, argv[at + 1]!) : cwd;
  const found = await findGitFolder(folder, machine);
  // Git treats a folder with HEAD and objects as a bare repository.
  const bare = upwards(folder).find(
    (each) => machine.facts(join(each, 'HEAD')) && machine.facts(join(each, 'objects')),
  );
  if (found === undefined) return bare === undefined ? [] : settingsIn(bare);
  const { workTree, gitDir, commonDir } = found;
  return [
    join(workTree, '.git'),
    join(gitDir, 'commondir'),
    ...(bare === undefined ? [] : settingsIn(bare)),
    ...[...new Set([gitDir, commonDir])].flatMap(settingsIn),
    ...['.gitattributes', '.gitmodules'].map((name) => join(workTree, name)),
  ];
}

const settingsIn = (gitDir: string): string[] => [
  ...['config', 'config.worktree', 'info/attributes'].map((name) => join(gitDir, name)),
  ...HOOKS.map((name) => join(gitDir, 'hooks', name)),
];

/** Parent folders that are checked. */
const MAX_ABOVE = 16;

/** A folder and its parents, the nearest first. */
export function upwards(folder: string): string[] {
  const all = [folder];
  while (all.length < MAX_ABOVE && dirname(all.at(-1)!) !== all.at(-1)) all.push(dirname(all.at(-1)!));
  return all;
}
