/** All programs that one command line starts, as far as it says so. */
import type { Executable } from '../plan/find-executable.ts';
import { hasInlineCode, namesInlineCode, runsCode } from './inline-code.ts';
import { programNames } from './program-name.ts';
import { unwrap } from './unwrap.ts';

/** Wrappers in wrappers that are looked through. */
const MAX_DEPTH = 8;

export interface Link {
  readonly argv: readonly string[];
  readonly executable: Executable;
  /** All that the program may be called (program-name.ts). */
  readonly names: ReadonlySet<string>;
  /** Its arguments are, or name, code: an entry for its path alone means nothing. */
  readonly runsCode: boolean;
}

export interface Chain {
  /** The program itself first, then what it starts. */
  readonly links: readonly Link[];
  /** Not all that runs can be told: only an entry for exactly this command line fits. */
  readonly isOpaque: boolean;
}

export function chainOf(
  argv: readonly string[],
  executable: Executable,
  find: (word: string) => Executable | undefined,
): Chain {
  const links: Link[] = [];
  let rest = argv;
  let current: Executable | undefined = executable;
  while (current !== undefined && links.length < MAX_DEPTH) {
    const names = programNames(current.found, current.path);
    const args = rest.slice(1);
    links.push({ argv: rest, executable: current, names, runsCode: [...names].some(runsCode) });
    if ([...names].some((name) => hasInlineCode(name, args))) return { links, isOpaque: true };
    const unwrapped = unwrap(names, rest);
    if (unwrapped.kind !== 'through')
      return { links, isOpaque: unwrapped.kind === 'opaque' || namesInlineCode(args) };
    rest = rest.slice(unwrapped.at);
    current = find(rest[0]!);
  }
  return { links, isOpaque: true };
}
