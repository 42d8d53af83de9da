/** Where git keeps what belongs to a working folder, found without git: its own search trusts what it finds. */
import { join, resolve } from 'node:path';
import type { Machine } from '../plan/machine.ts';
import { upwards } from './upwards.ts';

export interface GitFolder {
  /** The folder that `.git` stands in. */
  readonly workTree: string;
  /** `.git` itself, or where a `.git` file leads. */
  readonly gitDir: string;
  /** What all working trees of the repository share; often the same. */
  readonly commonDir: string;
}

const MAX_POINTER_BYTES = 4_096;

/** @returns undefined if no folder above has a `.git`. A bare repository is never found: its settings would be those of any checkout. */
export async function findGitFolder(cwd: string, machine: Machine): Promise<GitFolder | undefined> {
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

/** Settings and hooks of the repository that git finds from a folder: they name programs. */
export async function gitInputs(argv: readonly string[], cwd: string, machine: Machine): Promise<string[]> {
  const at = argv.indexOf('-C');
  const folder = at > 0 && argv[at + 1] !== undefined ? resolve(cwd, argv[at + 1]!) : cwd;
  const found = await findGitFolder(folder, machine);
  // What looks like a bare repository is one to git.
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
