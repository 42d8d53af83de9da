/**
 * Git under an entry of the policy. The settings of a repository name programs in dozens of places (filters, hooks,
 * helpers, fsmonitor, submodules), so none of them is read: git gets a folder of its own in place of `.git`, with what a
 * reading command needs and with settings that name nothing.
 */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../plan/machine.ts';
import { findGitFolder, type GitFolder } from './git-folder.ts';
import { keepOut } from './read-only-git.ts';

export interface HardenedGit {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Settings of the command line win over all others: a second lock, should a file of settings be read after all. */
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
  // Of no protocol: what is missing is not fetched.
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

/** Shared by all working trees of a repository; the rest of `.git` belongs to one of them. */
const SHARED = ['objects', 'refs', 'packed-refs', 'shallow', 'info', 'reftable'];
/** Of one working tree: what `git status` says of a merge that goes on, too. */
const OWN =
  `index logs ORIG_HEAD FETCH_HEAD MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG
  BISECT_START rebase-merge rebase-apply sequencer`.split(/\s+/);
const MAX_HEAD_BYTES = 1_024;
const MAX_SETTINGS_BYTES = 256 * 1024;

/** `folder`: of this run, for this user alone. `argv`: a command that only reads (read-only-git.ts). */
export async function hardenGit(
  { argv, cwd, folder }: { readonly argv: readonly string[]; readonly cwd: string; readonly folder: string },
  machine: Machine,
): Promise<HardenedGit> {
  const [, command = '', ...rest] = argv;
  const found = await findGitFolder(cwd, machine);
  const gitDir = join(folder, 'git');
  await mkdir(gitDir, { mode: 0o700 });
  if (found !== undefined) await standIn(gitDir, found, machine);
  return {
    args: ['--no-pager', command, ...keepOut(command), ...rest],
    env: {
      ...VARIABLES,
      // Where there is none, git says so: the folder has nothing in it.
      GIT_DIR: gitDir,
      ...(found !== undefined && { GIT_WORK_TREE: found.workTree }),
    },
  };
}

async function standIn(
  gitDir: string,
  { gitDir: own, commonDir }: GitFolder,
  machine: Machine,
): Promise<void> {
  for (const name of SHARED) await link(join(commonDir, name), join(gitDir, name), machine);
  for (const name of OWN) await link(join(own, name), join(gitDir, name), machine);
  for (const name of await readdir(own).catch(() => []))
    if (name.startsWith('sharedindex.')) await link(join(own, name), join(gitDir, name), machine);
  // Git takes a HEAD that is a link for a name of a branch.
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

/** What a repository is, and nothing that it wants: each value is one of these words. */
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
