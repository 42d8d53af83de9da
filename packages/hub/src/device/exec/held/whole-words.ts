import { isAdministrators } from '../plan/administrators.ts';
import type { Executable } from '../plan/find-executable.ts';
import type { Chain } from '../wrappers/chain.ts';

/**
 * A line on which each program that a wrapper starts stands with its whole path: `nice ls` would look for `ls` once more,
 * and find another one where somebody has put it meanwhile.
 */
export function wholeWords(argv: readonly string[], { links, isOpaque }: Chain): readonly string[] {
  if (isOpaque) return argv;
  const words = [...argv];
  for (const { argv: rest, executable } of links.slice(1))
    words[argv.length - rest.length] = pathOf(executable);
  return words;
}

/** Some programs do what their name says (busybox), which is that of a link; nobody exchanges an administrator's. */
const pathOf = ({ found, path }: Executable): string => (isAdministrators(found) ? found : path);
