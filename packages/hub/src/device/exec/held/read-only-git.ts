/** Commands of git that only read. Under an entry they run with nothing of the repository's settings (hardened-git.ts). */

const READS: ReadonlySet<string> = new Set(
  `status log diff show rev-parse rev-list ls-files ls-tree cat-file describe blame shortlog name-rev merge-base
  for-each-ref show-ref count-objects diff-tree diff-index diff-files whatchanged cherry`.split(/\s+/),
);
/** `git branch` with a name makes one. */
const BRANCH_WORDS = /^(?:--list|-l|-a|-r|-v|-vv|--all|--remotes|--show-current)$/;

/**
 * Options by which a reading command writes a file, runs something, or looks into a submodule, which has settings of its
 * own. Git takes each of them by any beginning.
 */
const MORE_THAN_READS =
  `output ext-diff textconv filters no-index git-dir work-tree exec-path show-signature dirty broken submodule
  recurse-submodules contents`.split(/\s+/);

const doesMore = (word: string): boolean => {
  const option = /^--([^=]+)/.exec(word)?.[1];
  return option !== undefined && MORE_THAN_READS.some((each) => each.startsWith(option));
};

/** Commands that show what has changed: in the words of a driver where there is one, and of submodules, too. */
const DIFFS: ReadonlySet<string> = new Set([
  'diff',
  'log',
  'show',
  'whatchanged',
  'diff-tree',
  'diff-index',
  'diff-files',
]);

/** Options that keep a reading command out of what a repository names. */
export function keepOut(command: string): readonly string[] {
  if (DIFFS.has(command)) return ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'];
  return command === 'status' ? ['--ignore-submodules=all'] : [];
}

/** The command comes first: options before it may name another repository or settings. */
export function isReadOnlyGit([, command = '', ...rest]: readonly string[]): boolean {
  if (command === 'branch') return rest.every((word) => BRANCH_WORDS.test(word));
  return READS.has(command) && !rest.some(doesMore);
}
