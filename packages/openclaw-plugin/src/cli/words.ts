/** Options of `openclaw` itself that take a word and may stand before the command. */
const WITH_VALUE: ReadonlySet<string> = new Set(['--profile', '--log-level', '--container']);

/**
 * What stands behind a command of ours on the command line of `openclaw`, word by word. The host's parser would take the
 * options that it knows, and `--` too; all of it belongs to Pincer.
 */
export function wordsAfter(command: string, argv: readonly string[]): readonly string[] {
  for (let at = 2; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === command) return argv.slice(at + 1);
    if (WITH_VALUE.has(word)) at += 1;
  }
  return [];
}
