/** The file that an interpreter on the command line runs. */
import { resolve } from 'node:path';
import type { Chain } from '../wrappers/chain.ts';
import { runsScript } from '../wrappers/inline-code.ts';
import { programNames } from '../wrappers/program-name.ts';
import { isNetworkPath } from './find-executable.ts';
import type { Machine } from './machine.ts';

/** Its whole path, or nothing: the first word that is a file, where no code stands on the line itself. */
export function scriptOf({ links, isOpaque }: Chain, cwd: string, machine: Machine): string[] {
  const last = links.at(-1);
  if (isOpaque || last === undefined) return [];
  const { found, path } = last.executable;
  if (![...programNames(found, path)].some(runsScript)) return [];
  const script = last.argv
    .slice(1)
    .filter((word) => word !== '' && !word.startsWith('-') && !isNetworkPath(word, machine.platform))
    .map((word) => resolve(cwd, word))
    .find((word) => machine.facts(word)?.kind === 'file');
  return script === undefined ? [] : [script];
}
